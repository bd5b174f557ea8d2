import CommandLine
import Console
import Encodings
import Keystore
import SafeKeeping
import SafeRules
import SafeWire

extension SafeKeepingError: Explained {
    var failure: Failure {
        switch self {
        case .otherKey(let id): .otherKey(of: id, replacedBy: "--replace-key \(id)")
        case .unexpected(let value): value.failure
        case .noSetup(let id):
            Failure(.absent, "no Safe is set up for \(id)", hints: "\(safe: "setup") \(id)").because(of: "no_setup")
        case .setupExists(let id, let place):
            Failure(
                .exists,
                place == PlaceName.main.text
                    ? "a Safe is already set up for \(id)"
                    : "a Safe place \"\(place)\" is already set up for \(id)",
                hints:
                    "\(safe: "passwd") changes the password, \(safe: "move") changes the server, \(safe: "delete") deletes the Safe",
                "keytool safe setup --name PLACE \(id) adds a further place"
            ).because(of: "setup_exists")
        case .tooManyPlaces(let id, let limit):
            Failure(.usage, "\(id) already has \(limit) Safe places, and more are not possible")
        case .differentKeys(let id):
            Failure(
                .usage, "the Safe places of \(id) have different passwords",
                hints: "set up the place without --same-password, and enter the password")
        case .samePlace(let id, let place):
            Failure(
                .exists, "this server is that of the Safe place \"\(place)\" of \(id)",
                hints: "use another server or another Safe password; \(safe: "server") changes an address"
            ).because(of: "same_place")
        case .othersLost(let id, let places, let areRestored): Self.lost(places, of: id, areRestored: areRestored)
        case .sameTarget(let id): Failure(.usage, "the Safe of \(id) is already at this address")
        case .wrongPassword(let id, let isReadOnly):
            Failure(
                .wrongPassword, "wrong Safe password for \(id)",
                hints: isReadOnly
                    ? "if the phone has changed it: \(safe: "passwd") --adopt \(id)"
                    : "if it is lost: \(safe: "passwd") \(id) sets a new one")
        case .noBackup(let id, let server, let isFromPassword):
            Failure(
                .absent, "there is no Safe backup of \(id) on \(server)",
                hints: isFromPassword
                    ? "check the Safe password and the ID (0 or O, 1 or I): with a wrong one, the backup cannot be found"
                    : "\(safe: "push") \(id) uploads it"
            ).because(of: "no_backup")
        case .noSuchEntry(let id, let number, let count): Self.noEntry(number, of: count, id)
        case .badLimits(let error): error.failure
        case .tooLarge(let role, let bytes, let limit, let picture, let isChangeUnfinished):
            Failure(
                .tooLarge, SafeFailure.tooLarge(role, bytes, limit),
                hints: (picture > bytes / 10 ? ["\(picture) bytes of it are the profile picture"] : [])
                    + (isChangeUnfinished ? ["--abort cancels the change"] : []))
        case .notVerified(let server): SafeFailure.notReturned(server)
        case .refused(let failure, let id, let server, let stage): failure.explained(id, server, stage)
        }
    }

    /// Backups at other places that were missing after one was deleted.
    private static func lost(_ places: [String], of id: String, areRestored: Bool) -> Failure {
        Failure(
            .verifyFailed,
            "after a backup of \(id) was deleted, that at \(places.joined(separator: ", ")) was missing, too"
                + (areRestored ? "; it was uploaded again" : ""),
            hints: areRestored
                ? ["these places may be one under several addresses: keytool safe server --name \(places[0]) \(id)"]
                : places.map { "keytool safe push --name \($0) \(id) uploads it again" }
        ).because(of: "others_lost")
    }

    /// A number that the history does not have.
    private static func noEntry(_ number: Int, of count: Int, _ id: String) -> Failure {
        Failure(
            .absent,
            count == 0
                ? "the history of \(id) is empty"
                : "the history of \(id) has no backup \(number)",
            hints: count == 0 ? [] : ["\(safe: "history") \(id)"]
        ).because(of: "no_backup")
    }
}

extension SafeKeepingError.Expectation {
    /// A backup code that contains something else than expected.
    fileprivate var failure: Failure {
        switch self {
        case .id: Failure(.verifyFailed, "the code contains another ID than the expected one")
        case .publicKey:
            Failure(
                .verifyFailed, "the code contains another public key than the expected one",
                hints: "a typing error in the code can change only the key: compare the code group by group")
        case .checkWord:
            Failure(
                .verifyFailed, "the code has another check word than the expected one",
                hints: "compare the code group by group")
        }
    }
}

extension Failure {
    /// The keystore holds the ID with another key.
    /// - Parameter option: the command's own for replacing it.
    static func otherKey(of id: String, replacedBy option: String) -> Failure {
        Failure(
            .exists, "the keystore holds \(id) with another private key",
            hints: "compare the public keys first: keytool id show \(id)",
            "keytool backup export \(id) -o FILE keeps the key that is there",
            "only if it is the wrong one: \(option) overwrites it"
        ).because(of: "other_key")
    }
}

extension SafeFailure {
    static func notReturned(_ server: String) -> Failure {
        Failure(
            .verifyFailed, "\(server) did not return the data that was stored there",
            hints: "try again; the next push uploads again")
    }

    /// The sentence, and the commands that lead on (see `waysOut`).
    func explained(_ id: String, _ server: String, _ stage: SetupStage = .usual) -> Failure {
        let (status, message) = sentence(id, server)
        let isChangeUnfinished = stage == .changeUnfinished
        let isAboutChange = isChangeUnfinished || self == .changeUnfinished || role.map { $0 != .current } ?? false
        let hints =
            (isChangeUnfinished ? [] : hintsOfNewPlace)
            + waysOut(stage).compactMap { $0.words(id, isAboutChange: isAboutChange) }
        return Failure(status, message, hints: hints).because(of: word)
    }

    /// What the server's error itself advises: before a change is begun no command of ours leads on.
    private var hintsOfNewPlace: [Hint] {
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
        case .tooLarge(let role, let bytes, let limit): (.tooLarge, Self.tooLarge(role, bytes, limit))
        case .waiting(let timestamp, let loss):
            (
                .tempfail,
                (loss.map { "the last check of the server \($0.words), and " } ?? "")
                    + "the server asked to wait until \(timestamp.rfc3339)"
            )
        case .conflict(let role, let isOtherKey): (.conflict, Self.conflict(id, role, isOtherKey: isOtherKey))
        case .overtaken(let isOtherKey):
            (
                .conflict,
                "while this command wrote or deleted, another device has written the Safe backup of \(id)"
                    + (isOtherKey ? " with another private key" : "")
            )
        case .tooLong: (.tooLarge, "the file on the server is larger than 4 MiB, the most that keytool reads")
        case .unreadable: (.badData, "the backup on the server is damaged; it was not deleted")
        case .unsettled: (.tempfail, "the backup on the server changes each time it is read")
        case .notVerified: (.verifyFailed, Self.notReturned(server).message)
        case .notRemoved(let role):
            (.verifyFailed, "\(role.words) confirmed the deletion, but still returns the backup")
        case .losesContacts(let before, let now):
            (.exists, "the profile has only \(now) contacts; the last known backup had \(before)")
        case .absent: (.absent, "there is no Safe backup of \(id) on \(server)")
        case .damaged: (.badData, "the Safe backup of \(id) on the server is damaged: it was truncated or modified")
        case .older: (.verifyFailed, "the server returned an older backup of \(id) than the last upload")
        case .otherKey: (.exists, "the Safe backup of \(id) contains another private key than the keystore")
        case .olderBackup(let found, let seen):
            (
                .verifyFailed,
                "the server returned generation \(found) of the backup, but "
                    + (found == seen ? "another one with this number" : "generation \(seen)") + " was seen before"
            )
        case .unpushedChanges: (.exists, "the profile of \(id) has changes that are not in a backup")
        case .otherProfile: (.exists, "the profile of \(id) is not the one in this backup, and may be newer")
        case .notUnderstood: (.badData, "this version cannot read the Safe backup of \(id)")
        case .deletionInterrupted:
            (.exists, "a deletion of the Safe of \(id) was interrupted; nothing is uploaded until you decide")
        case .replica:
            (.usage, "the new place already holds a backup of \(id) from here; it may be a mirror of the old place")
        case .leftAsAsked: (.exists, "the old backup of \(id) was not deleted, as requested")
        case .otherPlace:
            (.usage, "that address is not proven to lead to the Safe of \(id), also if the present one does not answer")
        case .survivorLost:
            (
                .verifyFailed,
                "after the old backup of \(id) was deleted, the new one was missing, too; it was uploaded again"
            )
        case .changeUnfinished: (.exists, "an earlier change of the Safe of \(id) is not finished")
        case .oldBackupLeft: (.exists, "an earlier change of the Safe of \(id) has not deleted its old backup yet")
        case .readOnly: (.usage, "the Safe of \(id) is set up for reading only; nothing was written")
        case .notReadOnly: (.usage, "the Safe of \(id) is not set up for reading only")
        case .mirror(let alarm): alarm.sentence(id, server)
        }
    }

    fileprivate static func tooLarge(_ role: Role, _ bytes: Int, _ limit: Int) -> String {
        "the backup has \(bytes) bytes; " + (limit == maxFetchedBytes ? "keytool uploads" : "\(role.words) accepts")
            + " at most \(limit)"
    }

    private static func conflict(_ id: String, _ role: Role, isOtherKey: Bool) -> String {
        switch role {
        case .current where isOtherKey:
            "the Safe backup of \(id) on the server contains another private key; nothing was replaced or deleted"
        case .current: "another device has written the Safe backup of \(id); nothing was replaced or deleted"
        case .next: "the new place already holds a backup of \(id) from another device"
        case .retiring: "another device has written the backup of \(id) at the old place"
        }
    }

    /// In JSON.
    var word: String {
        switch self {
        case .exchange(_, let error): error.failure.status.name
        case .badLimits: "not_a_safe_server"
        case .tooLarge: "too_large"
        case .waiting: "waiting"
        case .conflict(_, isOtherKey: false), .overtaken(isOtherKey: false): "foreign"
        case .conflict(_, isOtherKey: true), .overtaken(isOtherKey: true): "other_key"
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
        case .otherProfile: "other_profile"
        case .notUnderstood: "not_understood"
        case .deletionInterrupted: "deletion_interrupted"
        case .replica: "replica"
        case .leftAsAsked: "left_as_asked"
        case .otherPlace: "other_place"
        case .survivorLost: "survivor_lost"
        case .changeUnfinished: "change_unfinished"
        case .oldBackupLeft: "old_backup_left"
        case .readOnly: "read_only"
        case .notReadOnly: "not_read_only"
        case .mirror(let alarm): alarm.word
        }
    }

    /// Why a backup was left where it is.
    var reasonLeft: String {
        switch self {
        case .conflict, .overtaken: "another device has written it"
        case .unreadable, .damaged: "it is damaged"
        case .notRemoved: "the server confirmed the deletion, but still returns it"
        case .replica: "the new place holds the same backup and may be a mirror of the old place"
        case .leftAsAsked: "it was to be left (--leave-old)"
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
        case .absent, .mirror(.absent): "nothing"
        case .damaged, .unreadable, .mirror(.damaged): "a damaged backup"
        case .mirror(.older): "an older backup than the newest one in the history"
        case .mirror(.otherKey): "a backup with another private key"
        case .mirror(.losesContacts(let before, let now)): "a backup with \(now) contacts; the normal one has \(before)"
        case .older: "an older backup than the last upload"
        case .conflict(_, isOtherKey: true), .overtaken(isOtherKey: true): "a backup with another private key"
        case .conflict, .overtaken: "the backup of another device"
        case .tooLong, .mirror(.tooLong): "a file that is larger than any backup"
        default: "a backup that could not be checked"
        }
    }
}

extension SafeRules.Finding {
    var words: String {
        switch self {
        case .missing: "did not find the backup"
        case .damaged: "found a damaged backup"
        case .foreign: "found a backup of another device"
        case .older: "found an older backup"
        case .unproven: "ended before the backup was read"
        case .lossy: "found a backup that has lost over half of its contacts"
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

extension ServerLimitsError: Explained {
    var failure: Failure {
        switch self {
        case .notJSON:
            Failure(
                .notASafeServer, "this is not a Safe server: its config is not JSON",
                hints: "check the address; on a Nextcloud it is \(SafeExchangeError.nextcloud("HOST"))")
        case .missing(let member):
            Failure(.notASafeServer, "this is not a Safe server: its config has no integer \(member)")
        case .maxBackupBytes:
            Failure(.notASafeServer, "this is not a Safe server: maxBackupBytes in its config is out of range")
        }
    }
}
