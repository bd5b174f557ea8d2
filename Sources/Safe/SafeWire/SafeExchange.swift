public import HTTP

/// The port to a Safe server: the four requests of the whitepaper's section "Running a custom Threema
/// Safe server", and the preparing of an empty one. Its adapters pass one contract suite.
public protocol SafeExchange {
    /// `GET config`: the document as the server has it, at most `ServerLimits.maxConfigBytes` bytes.
    func config() throws(SafeExchangeError) -> [UInt8]

    /// `GET backups/<id>`: the stored backup, at most `maxFetchedBytes` bytes. Nil if there is none, which is not an
    /// error.
    func fetch(_ id: BackupID) throws(SafeExchangeError) -> StoredBackup?

    /// `PUT backups/<id>`, sent once: replaces what is there.
    /// - Throws: `.changed` if the condition does not hold. After any other error the backup may have been stored all
    ///   the same: read before trying again.
    func store(_ backup: [UInt8], at id: BackupID, if condition: WriteCondition) throws(SafeExchangeError)

    /// `DELETE backups/<id>`, sent once; nothing there is not an error.
    /// - Throws: as `store`.
    func remove(_ id: BackupID, if condition: WriteCondition) throws(SafeExchangeError)

    /// Waits before a verb starts again from the beginning, after a failure that may pass: as long as the server asked,
    /// else a random part of 2, 4, 8 and 16 s. Call it without holding a lock.
    /// - Parameter tries: how often the verb has been tried, from 1.
    /// - Returns: false if there is to be no further try: after five of them, after the command's total time, if the
    ///   wait would be longer than the limit, or if the error does not pass.
    func pause(after tries: Int, _ error: SafeExchangeError) -> Bool

    /// Keeps other writers of this machine away from the server's backups until the answer is dropped, as far as
    /// the server can; nil where it cannot, as over HTTP.
    func hold() throws(SafeExchangeError) -> (any Sendable)?

    /// What was noticed of the server so far.
    var notes: ExchangeNotes { get }

    /// The public key that the server shows now, by which it could be pinned; nil where it has none.
    func presentPin() throws(SafeExchangeError) -> PublicKeyPin?

    /// The certificate that the server shows now, trusted or not; nothing else is asked. Nil if it has none, or if it
    /// cannot be read.
    func presentCertificate() throws(SafeExchangeError) -> PresentedCertificate?

    /// Makes an empty place a Safe server: `backups/`, and `config` where it has none.
    func prepare(_ limits: ServerLimits) throws(SafeExchangeError)
}

extension SafeExchange {
    /// Most servers cannot.
    public func hold() throws(SafeExchangeError) -> (any Sendable)? { nil }

    /// A directory has none.
    public func presentPin() throws(SafeExchangeError) -> PublicKeyPin? { nil }

    /// A directory has none.
    public func presentCertificate() throws(SafeExchangeError) -> PresentedCertificate? { nil }

    /// A directory's failures are not retried.
    public func pause(after tries: Int, _ error: SafeExchangeError) -> Bool { false }

    /// A directory asks for no second try, and its clock is this machine's.
    public var notes: ExchangeNotes { ExchangeNotes() }
}

/// A backup as a server holds it.
public struct StoredBackup: Equatable, Sendable {
    /// The encrypted backup, not yet opened.
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

/// What must hold on the server for a write to happen (RFC 9110, 13.1). A server may ignore it.
public enum WriteCondition: Equatable, Sendable {
    /// Write in any case.
    case none
    /// Nothing is stored there: `If-None-Match: *`.
    case absent
    /// What is stored there still has this tag: `If-Match`.
    case unchanged(tag: String)
}

/// What is noticed on the way, beside the answers.
public struct ExchangeNotes: Equatable, Sendable {
    /// How often a request or a whole verb was tried again.
    public var retries = 0
    /// How far the server's clock is ahead of this machine's, as its last answer had it, to about a second; nil where
    /// it shows none.
    public var clockLead: Duration?

    /// Nothing yet.
    public init() {}
}

/// Largest backup that is read from a server, in bytes.
public let maxFetchedBytes = 4 * 1024 * 1024
