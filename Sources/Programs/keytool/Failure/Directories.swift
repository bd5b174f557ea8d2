import CommandLine
import Console
import HTTP
import SafeWire
import Threema
import ThreemaDirectory
import ThreemaKeeping

extension DirectoryKeepingError: Explained {
    /// Does `work`, which changes something at the directory.
    /// - Parameter hint: what to do if the directory may have changed it although no answer says so.
    static func advising(_ hint: Hint, _ work: () throws -> Void) throws {
        do {
            try work()
        } catch let error as Self {
            guard case .failed(_, let failure) = error, failure.leavesOutcomeOpen else { throw error }
            throw error.failure.advising(hint)
        }
    }

    var failure: Failure {
        switch self {
        case .failed(let server, let failure): failure.explained(server)
        case .unknownIdentity(let id, let server, let words):
            words.map { Failure.unknownIdentity(id, server).advising("the directory said: \($0.text)") }
                ?? .unknownIdentity(id, server)
        case .unknownContact(let id, let server):
            Failure.unknownIdentity(id, server).advising("nothing was stored")
        case .revokedContact(let id, let server):
            Failure(
                .absent, "\(server.url) says that \(id) was revoked; nothing was stored",
                hints: "ask the contact for the new ID"
            ).because(of: "revoked")
        case .otherContactKey(let id, let server, let given, let key):
            Failure(
                .verifyFailed,
                "WRONG KEY: \(server.url) has another public key for \(id) than the code; nothing was stored",
                hints: "code       \(given.hex)", "directory  \(key.words)",
                "either the directory is wrong, or the code is not that of \(id): ask the contact to show it again"
            ).because(of: "other_key")
        case .unfinished(let key, let server, let failure):
            failure.explained(server).advising(
                "the directory may have registered the key \(key.hex.prefix(8))…; it is stored here: \(key.resumption)"
            )
        case .noPending(let key):
            Failure(
                .absent, "no registration of the key \(key.hex.prefix(8))… is pending", hints: "keytool id list"
            ).because(of: "no_pending")
        case .registered(let id, let server, let key, let error):
            Failure(error).afterRegistration(of: id, at: server, key)
        case .heldID(let id, let server, let key):
            Failure(
                .exists,
                "\(server.url) has given the ID \(id), which the keystore already holds with another key; nothing was overwritten",
                hints: "the new key is pending: \(key.resumption) asks for another ID",
                "keytool id remove --pending \(key.hex.prefix(8)) removes the new key"
            ).because(of: "other_key")
        case .noLinking(let id):
            Failure(
                .absent, "no phone number of \(id) waits for a code",
                hints: "keytool id link mobile NUMBER --identity \(id) requests one"
            ).because(of: "no_linking")
        case .otherDirectory(let id, let directory): .otherDirectory(directory, of: id)
        case .requestNotStored(let id, let error):
            Failure(error).advising(
                "the code that the directory sends now cannot be used: keytool id link mobile NUMBER --identity \(id) requests another one"
            )
        }
    }
}

extension AddressListError: Explained {
    var failure: Failure {
        switch self {
        case .malformed(let line, true):
            Failure(
                .badData, "the phone number in line \(line) lacks its country; nothing was sent",
                hints: "write +41… or 0041…")
        case .malformed(let line, false):
            Failure(
                .badData, "line \(line) is not an e-mail address or a phone number; nothing was sent",
                hints: "one address on each line; # begins a comment")
        case .tooMany:
            Failure(.badData, "the file has more than \(AddressList.maxCount) addresses; nothing was sent")
        case .tooLong: Failure(.badData, "the file has more than \(AddressList.maxBytes) bytes; nothing was sent")
        }
    }
}

extension Failure {
    /// This failure of the keystore, after a directory has registered the key of a pending registration.
    /// - Parameter key: the pending one.
    fileprivate func afterRegistration(of id: ThreemaID, at server: DirectoryServer, _ key: PublicKey) -> Failure {
        Failure(
            status, "\(server.url) has registered \(id), but the identity could not be stored: \(message)",
            hints: hints + [
                "the private key is stored as a pending one: \(key.resumption) goes on, perhaps with another ID"
            ]
        ).because(of: reason)
    }

    /// A code for a phone number would go to a directory that has not sent it.
    /// - Parameter directory: the one that has sent it: its address, or the name of its provisioning file.
    fileprivate static func otherDirectory(_ directory: String, of id: ThreemaID) -> Failure {
        let failure = Failure(
            .usage, "the code is from another directory: \(directory)",
            hints: "keytool id link mobile NUMBER --identity \(id) requests another code"
        ).because(of: "other_directory")
        return directory.hasPrefix("https://") ? failure.advising("--directory \(directory)") : failure
    }

    /// - Parameter server: the directory that was asked.
    static func unknownIdentity(_ id: ThreemaID, _ server: DirectoryServer) -> Failure {
        Failure(.absent, "\(server.url) does not know \(id)", hints: "check the ID; it may also have been revoked")
            .because(of: "unknown_identity")
    }
}

extension PublicKey {
    /// The command that finishes the registration of this key.
    fileprivate var resumption: String { "keytool id create --resume --pending \(hex.prefix(8))" }
}

extension DirectoryFailure {
    func explained(_ server: DirectoryServer) -> Failure {
        switch self {
        case .http(let error): error.explained(server)
        case .service(let error): error.explained(server.url)
        }
    }
}

extension HTTPError {
    /// Connection and certificate failures of a directory, with the words of a Safe server's.
    fileprivate func explained(_ server: DirectoryServer) -> Failure {
        switch self {
        case .connection(let failure): Failure(.tempfail, "\(server.url) \(failure.words)", hints: failure.hint)
        case .certificate(let flaw): flaw.failure(of: server.url, option: "--directory-ca-file")
        case .pinMismatch(let expected, let offered):
            Failure(
                .pinMismatch, PublicKeyPin.mismatch(of: server.url, expected, offered),
                hints: "nothing was sent", Self.acceptance(offered, server))
        case .badAuthority: Failure(.badData, "the --directory-ca-file contains no usable certificate")
        case .badURL: .defect("the directory's address is not accepted by the HTTP library")
        case .bodyTooLong: Failure(.tooLarge, "\(server.url) returned more bytes than this request permits")
        case .libraryMissing(let package): SafeExchangeError.libraryMissing(package).failure
        case .libraryNeedsMemory: SafeExchangeError.libraryNeedsMemory.failure
        }
    }

    private static func acceptance(_ offered: PublicKeyPin?, _ server: DirectoryServer) -> Hint {
        if server.onPrem != nil { return .newerProvisioningFile }
        guard let offered else { return "try again later" }
        return "if the directory has a new key: --directory-pin \(offered.text)"
    }
}

extension DirectoryError {
    fileprivate func explained(_ url: String) -> Failure {
        switch self {
        case .wrongCount(let count, let allowed):
            Failure(.usage, "\(count) are too many or too few for one request; \(allowed.upperBound) are possible")
        case .unknownIdentity:
            Failure(.absent, "\(url) does not know this identity").because(of: "unknown_identity")
        case .unauthorized(let reason): Failure(.serverAuth, "\(url) \(reason.words) (status 401)", hints: reason.hint)
        case .rateLimited(let seconds):
            Failure(.tempfail, "\(url) asks to wait \(seconds) seconds", hints: "try again later")
        case .refused(let words): Failure(.failed, "\(url) refused: \(words.text)").because(of: "refused")
        case .failed: Failure(.failed, "\(url) refused without giving a reason").because(of: "refused")
        case .unexpectedStatus(let status): Self.unexpected(status, url)
        case .tooLong(let limit): Failure(.tooLarge, "\(url) returned more than \(limit) bytes")
        case .badJSON: Self.notUnderstood(url, "it is not JSON as keytool reads it")
        case .malformed(let field): Self.notUnderstood(url, "the field \"\(field)\" is missing or malformed")
        }
    }

    private static func unexpected(_ status: Int, _ url: String) -> Failure {
        switch status {
        case 403: Failure(.serverAuth, "\(url) forbids this request (status 403)", hints: "check --directory")
        case _ where HTTPResponse.isTemporary(status):
            Failure(.tempfail, "\(url) cannot answer now: status \(status)", hints: "try again later")
        default:
            Failure(
                .failed, "\(url) does not answer like a directory: status \(status)",
                hints: "check --directory; the login page of a hotel or train can also cause this"
            ).because(of: "not_a_directory")
        }
    }

    private static func notUnderstood(_ url: String, _ problem: String) -> Failure {
        Failure(.badData, "the answer of \(url) cannot be used: \(problem)", hints: "check --directory")
    }
}

extension DirectoryError.UnauthorizedReason {
    fileprivate var words: String {
        switch self {
        case .invalidCredentials: "requires a login, or does not accept the proof of the private key"
        case .challengeExpired: "did not get the proof of the private key in time"
        case .invalidChallengeResponse: "has another public key for this identity"
        case .unknown: "did not accept the request"
        }
    }

    fileprivate var hint: Hint {
        switch self {
        case .challengeExpired: "try again"
        default: "keytool id fetch ID shows which public key the directory has"
        }
    }
}
