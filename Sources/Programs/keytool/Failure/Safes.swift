import Console
import Encodings
import Primitives
import ThreemaKeeping
import SafeRules
import SafeWire
import Threema
import ThreemaSafe

extension SafeKeepingError: Explained {
    var failure: Failure {
        switch self {
        case .otherKey(let id): .otherKey(of: id, replacedBy: "--replace-key \(id)")
        case .unexpected(.id): Failure(.verifyFailed, "the code opens, but it is of another ID")
        case .unexpected(.publicKey):
            Failure(
                .verifyFailed, "the code opens, but its public key is another one",
                hints: "a typing error in the code may change the key alone: compare it group by group")
        case .unexpected(.checkWord):
            Failure(.verifyFailed, "the code's check word is another one", hints: "compare the code group by group")
        case .noSetup(let id):
            Failure(.absent, "no Safe is set up for \(id)", hints: "keytool safe setup \(id)").because(of: "no_setup")
        case .setupExists(let id):
            Failure(
                .exists, "a Safe is set up for \(id) already",
                hints:
                    "keytool safe passwd changes the password, keytool safe move the place, keytool safe delete ends it"
            ).because(of: "setup_exists")
        case .sameTarget(let id): Failure(.usage, "the Safe of \(id) is already there")
        case .wrongPassword(let id):
            Failure(
                .wrongPassword, "that is not the Safe password of \(id)",
                hints: "if it is lost: keytool safe passwd \(id) sets a new one")
        case .noBackup(let id, let server, let isFromPassword):
            Failure(
                .absent, "there is no Safe backup of \(id) on \(server)",
                hints: isFromPassword
                    ? "a wrong Safe password looks the same: the password decides where the backup lies"
                    : "keytool safe push \(id) uploads it again"
            ).because(of: "no_backup")
        case .badLimits(let error): error.failure
        case .tooLarge(let role, let bytes, let limit, let picture, let isChangeUnfinished):
            Failure(
                .tooLarge, "the backup has \(bytes) bytes, \(role.words) takes at most \(limit)",
                hints: (picture > bytes / 10 ? ["\(picture) bytes of it are the profile picture"] : [])
                    + (isChangeUnfinished ? ["--abort cancels the change"] : []))
        case .notVerified(let server): SafeFailure.notReturned(server)
        case .refused(let failure, let id, let server, let isChangeUnfinished):
            failure.explained(id, server, isChangeUnfinished: isChangeUnfinished)
        }
    }
}

extension Failure {
    /// The keystore holds the ID with another key.
    /// - Parameter option: the command's own for replacing it.
    static func otherKey(of id: String, replacedBy option: String) -> Failure {
        Failure(
            .exists, "the keystore holds \(id) with another private key",
            hints: "use \(option) to overwrite the key that is there"
        ).because(of: "other_key")
    }
}

extension SafeFailure {
    static func notReturned(_ server: String) -> Failure {
        Failure(
            .verifyFailed, "\(server) did not return what was stored there",
            hints: "try again; the next push uploads again")
    }

    /// The sentence, and the commands that lead on (see `waysOut`).
    func explained(_ id: String, _ server: String, isChangeUnfinished: Bool = false) -> Failure {
        let (status, message) = sentence(id, server)
        let waysOut = waysOut(isChangeUnfinished: isChangeUnfinished)
        let isAboutChange = isChangeUnfinished || self == .changeUnfinished || role.map { $0 != .current } ?? false
        let hints =
            (isChangeUnfinished ? [] : hintsOfNewPlace)
            + waysOut.compactMap { $0.words(id, isAboutChange: isAboutChange) }
        return Failure(status, message, hints: hints).because(of: word)
    }

    /// What the server's error itself advises: before a change is begun no command of ours leads on.
    private var hintsOfNewPlace: [String] {
        switch self {
        case .exchange(.next, let error): error.failure.hints
        case .badLimits(.next, let error): error.failure.hints
        default: []
        }
    }

    private func sentence(_ id: String, _ server: String) -> (Failure.Status, String) {
        switch self {
        case .exchange(_, let error): (error.failure.status, error.failure.message)
        case .badLimits(_, let error): (error.failure.status, error.failure.message)
        case .tooLarge(let role, let bytes, let limit):
            (.tooLarge, "the backup has \(bytes) bytes, \(role.words) takes at most \(limit)")
        case .waiting(let timestamp, nil): (.tempfail, "the server asked to wait until \(timestamp.rfc3339)")
        case .waiting(let timestamp, let loss?):
            (
                .tempfail,
                "the last look at the server \(loss.words), and the server asked to wait until \(timestamp.rfc3339)"
            )
        case .conflict(.current, isOtherKey: false):
            (.conflict, "another device has written the Safe backup of \(id); nothing was replaced or deleted")
        case .conflict(.current, isOtherKey: true):
            (
                .conflict,
                "the Safe backup of \(id) on the server holds another private key; nothing was replaced or deleted"
            )
        case .conflict(.next, _):
            (.conflict, "the new place already holds a backup of \(id) that another device has written")
        case .conflict(.retiring, _): (.conflict, "another device has written the backup of \(id) at the old place")
        case .tooLong: (.tooLarge, "the server holds more under this address than any backup has")
        case .unreadable: (.badData, "what the server holds is damaged, and is not deleted")
        case .unsettled: (.tempfail, "the backup on the server changes each time it is read")
        case .notVerified: (.verifyFailed, Self.notReturned(server).message)
        case .notRemoved: (.verifyFailed, "the server says that the backup is deleted, and still returns it")
        case .losesContacts(let before, let now):
            (.exists, "this upload would leave \(now) of the \(before) contacts last uploaded")
        case .absent: (.absent, "there is no Safe backup of \(id) on \(server)")
        case .damaged: (.badData, "the Safe backup of \(id) on the server is damaged: it was truncated or modified")
        case .older: (.verifyFailed, "the server returned an older backup of \(id) than was last uploaded")
        case .otherKey: (.exists, "the Safe backup of \(id) holds another private key than the keystore")
        case .olderBackup(let found, let seen):
            (
                .verifyFailed,
                "the server returned generation \(found) of the backup, but generation \(seen) was seen before"
            )
        case .unpushedChanges: (.exists, "the profile of \(id) has changes that were not uploaded")
        case .notUnderstood: (.badData, "this version cannot read the Safe backup of \(id)")
        case .deletionInterrupted:
            (.exists, "a deletion of the Safe of \(id) was interrupted; nothing is uploaded until you decide")
        case .replica:
            (.usage, "the new place already holds this backup of \(id), perhaps as a copy that follows the old place")
        case .leftAsAsked: (.exists, "the old backup of \(id) was to be left where it is")
        case .otherPlace: (.usage, "that address does not lead to the place where the Safe of \(id) is")
        case .survivorLost:
            (
                .verifyFailed,
                "after the old backup of \(id) was deleted the new one was gone, too; it was uploaded again"
            )
        case .changeUnfinished: (.exists, "an earlier change of the Safe of \(id) is not finished")
        case .oldBackupLeft: (.exists, "the old backup of an earlier change of the Safe of \(id) is not deleted yet")
        }
    }

    /// In JSON.
    var word: String {
        switch self {
        case .exchange(_, let error): error.failure.status.name
        case .badLimits: "not_a_safe_server"
        case .tooLarge: "too_large"
        case .waiting: "waiting"
        case .conflict(_, isOtherKey: false): "foreign"
        case .conflict(_, isOtherKey: true): "other_key"
        case .tooLong: "too_long"
        case .unreadable, .damaged: "damaged"
        case .unsettled: "unsettled"
        case .notVerified: "not_verified"
        case .notRemoved: "not_removed"
        case .losesContacts: "loses_contacts"
        case .absent: "no_backup"
        case .older: "older"
        case .otherKey: "other_key"
        case .olderBackup: "older"
        case .unpushedChanges: "unpushed_changes"
        case .notUnderstood: "not_understood"
        case .deletionInterrupted: "deletion_interrupted"
        case .replica: "replica"
        case .leftAsAsked: "left_as_asked"
        case .otherPlace: "other_place"
        case .survivorLost: "survivor_lost"
        case .changeUnfinished: "change_unfinished"
        case .oldBackupLeft: "old_backup_left"
        }
    }

    /// Why a backup was left where it is.
    var reasonLeft: String {
        switch self {
        case .conflict: "another device has written it"
        case .unreadable, .damaged: "it is damaged"
        case .notRemoved: "the server says that it is deleted, and still returns it"
        case .replica: "the new place holds the same bytes, and it may be a copy of the old one"
        case .leftAsAsked: "--leave-old was given"
        case .exchange(_, let error): error.failure.message
        case .waiting(let timestamp, _): "the server asked to wait until \(timestamp.rfc3339)"
        default: explained("", "").message
        }
    }

    /// Whether the next push tries again.
    var isRetried: Bool { self != .replica && self != .leftAsAsked }

    /// What a look found instead of the backup, for the table of `status`.
    var found: String {
        switch self {
        case .absent: "nothing"
        case .damaged, .unreadable: "a damaged backup"
        case .older: "an older backup than was last uploaded"
        case .conflict(_, isOtherKey: true): "a backup with another private key"
        case .conflict: "the backup of another device"
        case .tooLong: "more bytes than any backup has"
        default: "nothing that can be judged"
        }
    }
}

extension SafeRules.Finding {
    var words: String {
        switch self {
        case .missing: "did not find the backup"
        case .damaged: "found the backup damaged"
        case .foreign: "found a backup that another device has written"
        case .older: "found an older backup"
        case .unproven: "ended before the backup was read"
        }
    }
}

extension Role {
    var words: String {
        switch self {
        case .current: "the server"
        case .next: "the new place"
        case .retiring: "the old place"
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
        case .deviceGroupKey:
            Failure(
                .badData, "the device group key in the Safe document is not 32 bytes",
                hints: "keytool safe pull --raw -o FILE fetches the backup as it is")
        case .notReproduced: .defect("the new Safe backup does not open again; it was discarded")
        }
    }

    private static let passwordIsRight = "the password is right; the file on the server is truncated or modified"
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
