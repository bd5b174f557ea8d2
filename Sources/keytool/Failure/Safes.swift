import Encodings
import Primitives
import SafeKeeping
import SafeWire
import Threema

extension SafeKeepingError: Explained {
    var failure: Failure {
        switch self {
        case .otherKey(let id):
            Failure(
                .exists, "the keystore holds \(id) with another private key",
                hints: "use --replace to give up the key that is there")
        case .unexpected(.id): Failure(.verifyFailed, "the code opens, but it is of another ID")
        case .unexpected(.publicKey):
            Failure(
                .verifyFailed, "the code opens, but its public key is another one",
                hints: "a typing error in the code may change the key alone: compare it group by group")
        case .unexpected(.checkWord):
            Failure(.verifyFailed, "the code's check word is another one", hints: "compare the code group by group")
        case .noSetup(let id):
            Failure(.absent, "no Safe is set up for \(id)", hints: "keytool safe setup \(id)")
        case .deletionFinished(let id):
            Failure(
                .absent, "a deletion of the Safe of \(id) had been broken off, and is finished now: no Safe is set up",
                hints: "keytool safe setup \(id)")
        case .setupExists(let id):
            Failure(
                .exists, "a Safe is set up for \(id) already",
                hints: "keytool safe passwd \(id) changes password or server, keytool safe delete \(id) ends it")
        case .sameTarget(let id):
            Failure(.usage, "that is the present Safe password and server of \(id)")
        case .oldBackupLeft(let id):
            Failure(
                .tempfail, "an earlier change for \(id) is not over: the old backup could not be deleted yet",
                hints: "try again when its server is back, or leave it there with --force")
        case .noBackup(let id, let server, let isFromPassword):
            Failure(
                .absent, "there is no Safe backup of \(id) on \(server)",
                hints: isFromPassword
                    ? "a wrong Safe password looks the same: the password decides where the backup lies"
                    : "keytool safe push \(id) --force uploads it again")
        case .badLimits(let error): error.failure
        case .tooLarge(let bytes, let limit, let picture):
            picture > bytes / 10
                ? Failure(
                    .tooLarge, "the backup has \(bytes) bytes, the server takes at most \(limit)",
                    hints: "\(picture) bytes of it are the profile picture")
                : Failure(.tooLarge, "the backup has \(bytes) bytes, the server takes at most \(limit)")
        case .waiting(let moment): Failure(.tempfail, "the server asked to wait until \(moment.rfc3339)")
        case .conflict(let id):
            Failure(
                .conflict, "another device or keystore has written the Safe backup of \(id); nothing was overwritten",
                hints: "keytool safe pull \(id) takes it over, keytool safe push --overwrite \(id) replaces it")
        case .notVerified(let server):
            Failure(
                .verifyFailed, "\(server) did not return what was stored there",
                hints: "try again; the next push uploads anew")
        case .differs(.privateKey):
            Failure(.verifyFailed, "the Safe backup opens, but holds another private key than the keystore")
        case .differs(.profile):
            Failure(
                .verifyFailed, "the Safe backup opens, but its profile is not the keystore's",
                hints: "keytool safe push uploads the keystore's, keytool safe pull takes over the backup's")
        case .losesContacts(let before, let now):
            Failure(
                .exists, "this push would leave \(now) of the \(before) contacts last uploaded",
                hints: "use --force if that is meant")
        case .olderBackup(let found, let seen):
            Failure(
                .verifyFailed, "the server returned backup no. \(found), but no. \(seen) was seen before",
                hints: "somebody put an older copy back; --replace takes it all the same")
        case .unpushedChanges(let id):
            Failure(
                .exists, "the profile of \(id) has changes that were not uploaded",
                hints: "keytool safe push \(id) first, or give them up with --replace")
        }
    }
}

extension SafeBackupError: Explained {
    var failure: Failure {
        switch self {
        case .tooShort(_, let actual):
            Failure(.badData, "the Safe backup is damaged: it has only \(actual) bytes", hints: Self.passwordIsRight)
        case .notAuthentic:
            Failure(.badData, "the Safe backup is damaged: its authentication fails", hints: Self.passwordIsRight)
        case .gzip(.tooLarge(let limit)):
            Failure(.tooLarge, "the Safe backup unfolds to more than \(limit) bytes")
        case .gzip: Failure(.badData, "the Safe backup decrypts, but what it holds is not gzip")
        case .json(.tooManyValues(let limit)):
            Failure(.tooLarge, "the Safe backup decrypts, but its document has more than \(limit) values")
        case .json(let error):
            Failure(.badData, "the Safe backup decrypts, but its document is no JSON: \(error.words)")
        case .document(.unsupportedVersion(let version)):
            Failure(.badData, "the Safe backup has version \(version); this version knows \(SafeDocument.version)")
        case .document(.missing(let path)): Failure(.badData, "the Safe document has no \(path)")
        case .document(.wrongType(let path)):
            Failure(
                .badData,
                path.isEmpty ? "the Safe document is no object" : "\(path) in the Safe document is of a wrong type")
        case .privateKey: Failure(.badData, "the Safe document holds no private key")
        case .notReproduced: .defect("the new Safe backup does not open again; it was discarded")
        }
    }

    private static let passwordIsRight = "no matter of the password: the file on the server was cut or changed"
}

extension JSONError {
    fileprivate var words: String {
        switch self {
        case .syntax(let offset): "wrong syntax at byte \(offset)"
        case .duplicateName(let offset): "a member occurs twice, at byte \(offset)"
        case .notUnicode(let offset): "text that is no Unicode at byte \(offset)"
        case .tooDeep(let limit): "nested more than \(limit) deep"
        case .tooManyValues(let limit): "more than \(limit) values"
        }
    }
}

extension ServerLimitsError: Explained {
    var failure: Failure {
        switch self {
        case .notJSON:
            Failure(
                .notASafeServer, "this is no Safe server: its config is not JSON",
                hints: "is that a web page's address? on a Nextcloud it is \(SafeExchangeError.nextcloud("HOST"))")
        case .missing(let member):
            Failure(.notASafeServer, "this is no Safe server: its config has no whole number \(member)")
        case .maxBackupBytes: Failure(.notASafeServer, "this is no Safe server: its maxBackupBytes makes no sense")
        }
    }
}

extension KeyDerivationError: Explained {
    var failure: Failure {
        switch self {
        case .memory(let bytes):
            Failure(.memory, "the key derivation needs \(bytes / 1_048_576) MiB of memory, and the system gave less")
        }
    }
}

extension Failure {
    /// Something that cannot happen with sound memory and a program without mistakes.
    static func defect(_ message: String) -> Failure {
        Failure(.internal, message, hints: "this should never happen: check the machine's memory, and please report it")
    }
}
