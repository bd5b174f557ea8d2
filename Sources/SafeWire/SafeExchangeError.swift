/// Why a request was not answered. Servers are named by their address, which holds nothing secret.
public enum SafeExchangeError: Error, Equatable, Sendable {
    /// The server at this address cannot be reached now; later makes sense.
    case unavailable(String, Trouble = .away)
    /// It asks not to be bothered for so many seconds; nil where it did not say how long.
    case throttled(String, seconds: Int?)
    /// It answers, but it is not prepared as a Safe server (no `config`, no `backups`).
    case notPrepared(String)
    /// It has no directory `backups/`: 404 and 409 say so, and 405 if it does not take uploads at all.
    case noBackups(String, status: Int)
    /// It does not let `backups/` and `config` be made.
    case cannotPrepare(String, status: Int)
    /// The folder that is to become one holds other files; nothing was made there.
    case notEmpty(String)
    /// It answers as no Safe server does: with this status.
    case unexpectedStatus(String, Int)
    /// It redirects to this host, or to something that has none; nil for a circle on the same server.
    case redirected(String, host: String?)
    /// It wants a user's name and password, or others (401, 403).
    case unauthorized(String, hasLogin: Bool)
    /// It does not let this user delete a backup (403), and may well let them read and write.
    case deletionForbidden(String)
    /// Another writer has kept it for itself for too long.
    case busy(String)
    /// What it holds is not what it held when it was read: a condition of a write did not hold (412).
    case changed(String)
    /// It has no room for the backup, or takes none of its size (413, 507).
    case full
    /// What it returned is longer than `limit` bytes.
    case tooLarge(limit: Int)
    /// The system refused; `code` is its errno.
    case refused(code: Int32)
    /// Its certificate is not accepted; nothing was sent.
    case untrusted(String, Distrust)
    /// Its public key is none of those that are pinned; nothing was sent. `offered` is nil where it could not be seen.
    case pinMismatch(String, expected: [PublicKeyPin], offered: PublicKeyPin?)
    /// The certificate authorities that were given are none.
    case badAuthority
    /// The library for HTTPS is not on this machine.
    case libraryMissing(String)
    /// There is not enough memory to load that library.
    case libraryNeedsMemory

    /// Whether it may go better later, with nothing changed.
    public var isPassing: Bool {
        switch self {
        case .unavailable, .throttled, .busy, .changed: true
        default: false
        }
    }

    /// Why a server cannot be reached.
    public enum Trouble: Equatable, Sendable {
        /// A folder that is not mounted, a machine that does not answer.
        case away
        /// Its name has no address.
        case unknownHost
        /// Its name, or the proxy's, could not be looked up in time.
        case noNameServer
        /// It, or the proxy, does not take connections.
        case notConnected
        /// The proxy does not lead there.
        case proxy
        /// It did not answer in time.
        case timeout
        /// Its answer is not valid HTTP, or its headers are too long.
        case badAnswer
        /// The connection broke off.
        case brokenOff
        /// It says itself that it cannot (5xx, 408, 423, 425).
        case status(Int)
    }

    /// Why a certificate is not accepted.
    public enum Distrust: Equatable, Sendable {
        /// The day on which it ended, as the certificate has it.
        case expired(String)
        case notYetValid(String)
        /// The names that it was issued for.
        case otherHost([String])
        /// Who issued it.
        case unknownIssuer(String)
        case selfSigned
        /// No common version of TLS or cipher.
        case handshake
        /// Anything else, in the library's words.
        case other(String)
    }
}
