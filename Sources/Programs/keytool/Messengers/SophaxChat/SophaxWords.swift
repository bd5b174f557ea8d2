import CommandLine
import Console
import Encodings
import MessengerKeeping
import SophaxChat

// How identities of SophaxChat are shown. Nothing of a private key is shown.

extension PublicIdentity {
    /// For people: name and number, which are shown before anything is stored.
    var lines: [String] { ["identity       \(peerID)", "safety number  \(safetyNumber(.version1))"] }

    var members: [(String, JSONValue?)] {
        [
            ("id", .string(peerID.description)), ("safety_number", .string(safetyNumber(.version1))),
            ("signing_key", .string(Hex.encode(signing))), ("dh_key", .string(Hex.encode(agreement))),
        ]
    }
}

extension SophaxKeeper.Summary {
    /// For people, in a list: what stands behind its name.
    var facts: String {
        "\(username.printable), "
            + (prekeys.map { Counted.text($0.oneTimeIDs.count, "one-time prekey") } ?? "no prekeys")
            + (hasPIN ? ", PIN" : "")
    }

    /// For people: one line for each fact.
    var lines: [String] {
        identity.lines + [
            "user           \(username.printable)",
            "signing key    \(Hex.encode(identity.signing))",
            "DH key         \(Hex.encode(identity.agreement))",
            "verified       \(Counted.text(verifiedCount, "peer"))",
            "prekeys        \(prekeys.map { Counted.text($0.oneTimeIDs.count, "one-time prekey") } ?? "none")",
            "PIN            \(hasPIN ? "set" : "not set")",
        ]
    }

    var members: [(String, JSONValue?)] {
        identity.members + [
            ("username", .string(username)), ("verified_peers", .number(verifiedCount)),
            ("one_time_prekeys", prekeys.map { .number($0.oneTimeIDs.count) }), ("pin", .bool(hasPIN)),
        ]
    }
}
