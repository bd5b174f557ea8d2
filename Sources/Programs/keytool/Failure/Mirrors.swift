import CommandLine
import Console
import SafeRules

extension MirrorAlarm {
    /// The exit code, and what is wrong with the mirrored place.
    func sentence(_ id: String, _ server: String) -> (Failure.Status, String) {
        switch self {
        case .absent: (.absent, "there is no Safe backup of \(id) on \(server)")
        case .tooLong: (.tooLarge, "the file on the server is larger than any backup")
        case .damaged:
            (.badData, "the Safe backup of \(id) on the server is damaged: it was truncated or modified")
        case .older:
            (
                .verifyFailed,
                "the server went back: it returned an older backup of \(id) than the newest one in the history"
            )
        case .notUnderstood:
            (.badData, "this version cannot read the Safe backup of \(id)")
        case .otherKey:
            (
                .verifyFailed,
                "the Safe backup of \(id) contains another private key than the keystore"
            )
        case .losesContacts(let before, let now):
            (
                .exists,
                "the Safe backup of \(id) has only " + Counted.text(now, "contact")
                    + "; the last normal one had \(before)"
            )
        }
    }

    /// In JSON.
    var word: String {
        switch self {
        case .absent: "no_backup"
        case .tooLong: "too_long"
        case .damaged: "damaged"
        case .older: "older"
        case .notUnderstood: "not_understood"
        case .otherKey: "other_key"
        case .losesContacts: "loses_contacts"
        }
    }
}
