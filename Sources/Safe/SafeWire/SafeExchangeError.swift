public import HTTP

/// Why a request was not answered. Servers are named by their address, which holds nothing secret.
public enum SafeExchangeError: Error, Equatable, Sendable {
    /// The server at this address cannot be reached now; later makes sense.
    case unavailable(String, Unavailability = .away)
    /// It asks not to be bothered for so many seconds; nil where it did not say how long.
    case throttled(String, seconds: Int?)
    /// It answers, but it is not prepared as a Safe server (no `config`, no `backups`).
    case notPrepared(String)
    /// It has no directory `backups/`: 404 and 409 say so, and 405 if it does not take uploads at all.
    case noBackups(String, status: Int)
    /// It does not let `backups/` and `config` be made.
    case cannotPrepare(String, status: Int)
    /// The directory that is to become one holds other files; nothing was made there.
    case notEmpty(String)
    /// It answers as no Safe server does: with this status.
    case unexpectedStatus(String, Int)
    /// It redirects, and the redirect is not followed.
    case redirected(String, to: RedirectTarget)
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
    case untrusted(String, CertificateFailure)
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

    /// Why a server cannot be asked.
    public enum Unavailability: Equatable, Sendable {
        /// Its directory is not there, or not mounted.
        case away
        /// No answer came, or not a whole one.
        case connection(ConnectionFailure)
        /// It says itself that it cannot (5xx, 408, 423, 425).
        case status(Int)
    }
}
