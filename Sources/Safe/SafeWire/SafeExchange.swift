public import HTTP

/// The port to a Safe server: the four requests of the whitepaper, "Running a custom Threema Safe server", and the
/// preparation of an empty server. One contract suite tests all its adapters.
public protocol SafeExchange {
    /// `GET config`: the document, unparsed, at most `ServerLimits.maxConfigBytes` bytes.
    func config() throws(SafeExchangeError) -> [UInt8]

    /// `GET backups/<id>`: the stored backup, at most `maxFetchedBytes` bytes.
    /// - Returns: nil if the server has no backup of this id, which is not an error.
    func fetch(_ id: BackupID) throws(SafeExchangeError) -> StoredBackup?

    /// `PUT backups/<id>`, sent once: stores a backup, and replaces one of the same id.
    /// - Throws: `.changed` if the condition does not hold. After any other error the backup may have been stored:
    ///   fetch it before you try again.
    func store(_ backup: [UInt8], at id: BackupID, if condition: WriteCondition) throws(SafeExchangeError)

    /// `DELETE backups/<id>`, sent once. A missing backup is not an error.
    /// - Throws: as `store`.
    func remove(_ id: BackupID, if condition: WriteCondition) throws(SafeExchangeError)

    /// Waits after a temporary failure, before a command starts again: as long as the server asked, otherwise a random
    /// part of 2, 4, 8 and 16 s. Call it without holding a lock.
    /// - Parameter tries: number of tries so far, from 1.
    /// - Returns: false if the command must not try again: after five tries, after its total time, if the wait would be
    ///   too long, or if the failure is not temporary.
    func pause(after tries: Int, _ error: SafeExchangeError) -> Bool

    /// Locks the server's backups against other writers on this machine, until the returned value ends.
    /// - Returns: nil if the server has no locks, as over HTTP.
    func hold() throws(SafeExchangeError) -> (any Sendable)?

    /// Retries and the server's clock so far.
    var notes: ExchangeNotes { get }

    /// The server's present public key, for pinning; nil if it has none, as a directory.
    func presentPin() throws(SafeExchangeError) -> PublicKeyPin?

    /// The certificate that the server shows now, trusted or not. No request is sent.
    /// - Returns: nil if it has none, as a directory, or if it cannot be parsed.
    func presentCertificate() throws(SafeExchangeError) -> PresentedCertificate?

    /// The certificates that the server sends now, its own first, trusted or not. No request is sent.
    /// - Returns: empty if it has none, as a directory.
    func presentChain() throws(SafeExchangeError) -> [PresentedCertificate]

    /// Turns an empty directory into a Safe server: creates `backups/`, and `config` if it is missing. If `config` exists
    /// and has no valid limits, nothing is created, which is not an error: reading the limits tells what is wrong.
    func prepare(_ limits: ServerLimits) throws(SafeExchangeError)
}

extension SafeExchange {
    /// Returns nil, for a server that has no locks.
    public func hold() throws(SafeExchangeError) -> (any Sendable)? { nil }

    /// Returns nil, for a server that has no public key.
    public func presentPin() throws(SafeExchangeError) -> PublicKeyPin? { nil }

    /// Returns nil, for a server that has no certificate.
    public func presentCertificate() throws(SafeExchangeError) -> PresentedCertificate? { nil }

    /// Returns nothing, for a server that has no certificate.
    public func presentChain() throws(SafeExchangeError) -> [PresentedCertificate] { [] }

    /// Returns false at once: no command is tried again.
    public func pause(after tries: Int, _ error: SafeExchangeError) -> Bool { false }

    /// Returns notes without observations: no retries, and an unknown clock.
    public var notes: ExchangeNotes { ExchangeNotes() }
}

/// A backup as a server stores it.
public struct StoredBackup: Equatable, Sendable {
    /// The backup as the client has encrypted it.
    public var bytes: [UInt8]
    /// The server's strong entity tag (`ETag`), quotes included; nil if it sends none or a weak one.
    public var tag: String?

    /// - Parameters:
    ///   - bytes: the encrypted backup.
    ///   - tag: with its quotes; nil for none.
    public init(bytes: [UInt8], tag: String? = nil) {
        self.bytes = bytes
        self.tag = tag
    }
}

/// A condition under which the server is to execute a write (RFC 9110, 13.1). A server may ignore it.
public enum WriteCondition: Equatable, Sendable {
    /// Write unconditionally.
    case none
    /// Write if no backup is stored: `If-None-Match: *`.
    case absent
    /// Write if the stored backup still has this tag: `If-Match`.
    case unchanged(tag: String)
}

/// Observations about a server, beside its answers.
public struct ExchangeNotes: Equatable, Sendable {
    /// Number of repeated requests and commands.
    public var retries = 0
    /// How far the server's clock is ahead of this machine's, by its last answer, to about a second; nil if it sends no
    /// date.
    public var clockLead: Duration?

    /// Begins with no retries and an unknown clock.
    public init() {}
}

/// Largest backup that is fetched from a server, in bytes.
public let maxFetchedBytes = 4 * 1024 * 1024
