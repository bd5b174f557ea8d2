import Console
import HTTP
import Keystore
import SafeKeeping
import ThreemaKeeping
import SafeRules
import SafeWire

/// Why a Safe cannot be checked, without the name of its server or directory.
struct RedactedSafeFailure {
    let words: String

    init(_ error: any Error) {
        words =
            switch error {
            case let error as SafeExchangeError: Self.words(error)
            case SafeKeepingError.refused(.exchange(_, let error), _, _, _): Self.words(error)
            case KeystoreError.damaged: "its record in the keystore is damaged"
            case SafeKeepingError.badLimits, SafeKeepingError.refused(.badLimits, _, _, _):
                "its server's config is not that of a Safe server"
            case SafeKeepingError.refused(let failure, _, _, _): failure.explained("its identity", "its server").message
            default: "it cannot be checked: \(Failure(error).status.name)"
            }
    }

    /// The sentences of `failure` may hold an address, or the names in a certificate.
    private static func words(_ error: SafeExchangeError) -> String {
        switch error {
        case .unavailable(_, .away): "its directory is missing or not mounted"
        case .unavailable(_, let failure): "its server \(failure.words)"
        case .throttled: "its server asks to wait"
        case .notPrepared, .noBackups, .cannotPrepare: "config or backups/ is missing on its server"
        case .unexpectedStatus(_, let status): "its server does not answer like a Safe server: status \(status)"
        case .redirected: "its server redirects, and keytool does not follow"
        case .unauthorized(_, false): "its server requires a user name and password"
        case .unauthorized(_, true): "its server does not accept the stored user name and password"
        case .deletionForbidden: "its server refuses to delete the backup"
        case .busy: "another keytool process is using its server"
        case .changed: "its backup changed while it was read"
        case .untrusted(_, .noForwardSecrecy): "its server \(CertificateFailure.noForwardSecrecy.words)"
        case .untrusted: "the certificate of its server is not accepted"
        case .pinMismatch: "its server has another public key than the pinned one"
        case .wrongKind(_, .backup): "its backup is not a regular file"
        case .wrongKind: "config or backups/ on its server is of the wrong kind"
        case .notEmpty, .full, .tooLarge, .refused, .badAuthority, .libraryMissing, .libraryNeedsMemory:
            error.failure.message
        }
    }
}
