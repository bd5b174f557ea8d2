/// The port to a Safe server: the four requests of the whitepaper's section "Running a custom Threema
/// Safe server", and the preparing of an empty one. Its adapters pass one contract suite.
public protocol SafeExchange {
    /// `GET config`: the document as the server has it, at most `ServerLimits.maxConfigBytes` bytes.
    func config() throws(SafeExchangeError) -> [UInt8]

    /// `GET backups/<id>`: the stored bytes, nil where there are none (which is not an error).
    func fetch(_ id: BackupID) throws(SafeExchangeError) -> [UInt8]?

    /// `PUT backups/<id>`: replaces what is there.
    func store(_ backup: [UInt8], at id: BackupID) throws(SafeExchangeError)

    /// `DELETE backups/<id>`: nothing there is not an error.
    func remove(_ id: BackupID) throws(SafeExchangeError)

    /// Keeps other writers of this machine away from the server's backups until the answer is dropped, as far as
    /// the server can; nil where it cannot, as over HTTP.
    func hold() throws(SafeExchangeError) -> (any Sendable)?

    /// What was noticed of the server so far.
    var notes: ExchangeNotes { get }

    /// The public key that the server shows now, by which it could be pinned; nil where it has none.
    func presentPin() throws(SafeExchangeError) -> PublicKeyPin?

    /// Makes an empty place a Safe server: `backups/`, and `config` where it has none.
    func prepare(_ limits: ServerLimits) throws(SafeExchangeError)
}

extension SafeExchange {
    /// Most servers cannot.
    public func hold() throws(SafeExchangeError) -> (any Sendable)? { nil }

    /// A folder has none.
    public func presentPin() throws(SafeExchangeError) -> PublicKeyPin? { nil }

    /// A folder asks for no second try, and its clock is this machine's.
    public var notes: ExchangeNotes { ExchangeNotes() }
}

/// What is noticed on the way, beside the answers.
public struct ExchangeNotes: Equatable, Sendable {
    /// Requests that were sent again.
    public var retries = 0
    /// How far the server's clock is ahead of this machine's, as its last answer had it, to about a second; nil where
    /// it shows none.
    public var clockLead: Duration?

    /// Nothing yet.
    public init() {}
}

/// Largest backup that is read from a server, in bytes.
public let maxFetchedBytes = 4 * 1024 * 1024
