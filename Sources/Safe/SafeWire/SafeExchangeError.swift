public import HTTP

/// Why a request failed. Servers are named by their address, which holds nothing secret.
public enum SafeExchangeError: Error, Equatable, Sendable {
    /// The server at this address cannot be reached now. A later try may succeed.
    case unavailable(String, Unavailability = .away)
    /// It asks to wait for this many seconds; nil if it did not say how long. Only with some statuses (429) the request
    /// was certainly not executed.
    case throttled(String, seconds: Int?, status: Int)
    /// It answers, but `config` or `backups/` is missing.
    case notPrepared(String)
    /// It has no directory `backups/`: 404 and 409 say so, and 405 if it does not take uploads at all.
    case noBackups(String, status: Int)
    /// It refuses to create `backups/` and `config`.
    case cannotPrepare(String, status: Int)
    /// The directory to be prepared holds other files; nothing was created.
    case notEmpty(String)
    /// It answers with this status, unlike a Safe server.
    case unexpectedStatus(String, Int)
    /// It redirects, and the redirect is not followed.
    case redirected(String, to: RedirectTarget)
    /// It demands a login, or refuses this one (401, 403).
    case unauthorized(String, hasLogin: Bool)
    /// It refuses to delete a backup for this user (403), who may have permission to read and write.
    case deletionForbidden(String)
    /// Another writer held its lock for too long.
    case busy(String)
    /// The backup has changed since it was fetched: the condition of a write did not hold (412).
    case changed(String)
    /// It has no space for the backup, or refuses its size (413, 507).
    case full
    /// The answer is longer than `limit` bytes.
    case tooLarge(limit: Int)
    /// In its directory, a link, another directory or a special file stands where one of its own belongs.
    case wrongKind(String, Entry)
    /// A system call failed; `code` is its errno.
    case refused(code: Int32)
    /// Its certificate is not accepted; nothing was sent.
    case untrusted(String, CertificateFailure)
    /// Its public key is not pinned; nothing was sent. `offered` is nil if the key could not be read; `provisioned` is
    /// whether the pins are those of a provisioning file.
    case pinMismatch(String, expected: [PublicKeyPin], offered: PublicKeyPin?, provisioned: Bool)
    /// The given certificate authorities contain no usable certificate.
    case badAuthority
    /// The library for HTTPS is missing; its Debian package.
    case libraryMissing(String)
    /// The system refuses the memory to load that library.
    case libraryNeedsMemory

    /// What a Safe server consists of.
    public enum Entry: Equatable, Sendable {
        case config, backups, backup
    }

    /// Why a server cannot be reached.
    public enum Unavailability: Equatable, Sendable {
        /// Its directory does not exist, or is not mounted.
        case away
        /// The answer is missing or incomplete.
        case connection(ConnectionFailure)
        /// It answered that it cannot serve now (5xx, 408, 423, 425).
        case status(Int)
    }
}
