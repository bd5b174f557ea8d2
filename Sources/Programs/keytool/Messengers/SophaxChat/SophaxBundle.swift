import CommandLine
import Console
import Encodings
import SophaxChat

// How bundles of SophaxChat are checked and shown.

extension PrekeyBundle {
    /// Checks the signatures at the time that the bundle names.
    /// - Throws: `BundleError.badSignature`.
    func checkedSignatures() throws(BundleError) -> CheckedBundle {
        try check(asked: nil, known: nil, pinned: nil, at: timestamp.timestamp)
    }
}

extension CheckedBundle {
    var lines: [String] {
        [
            "user           \(bundle.username.printable)", "made           \(bundle.timestamp.timestamp.rfc3339)",
            "signed prekey  \(bundle.signedPrekeyID)", "one-time       \(oneTimeWords)",
            "signed         \(form.words)",
        ]
    }

    private var oneTimeWords: String {
        switch bundle.oneTime {
        case nil: "none"
        case let key? where key.id == 0: "the last-resort key"
        case let key?: "prekey \(key.id)"
        }
    }

    var members: [(String, JSONValue?)] {
        [
            ("username", .string(bundle.username)), ("made", .string(bundle.timestamp.timestamp.rfc3339)),
            ("signed_prekey_id", .number(bundle.signedPrekeyID)),
            ("one_time_prekey_id", bundle.oneTime.map { .number($0.id) }), ("signed", .string(form.name)),
        ]
    }
}
