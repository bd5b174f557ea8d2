import CommandLine
import Encodings
import Keystore
import MessengerKeeping
import Ratchet
import TextSecure

// How accounts of TextSecure are shown, without their secrets.

extension TextSecureAccount {
    /// For people: one line for each fact.
    var lines: [String] {
        ["account       \(number)", "server        \(server ?? "unknown")"]
            + (relay.map { ["relay         \($0)"] } ?? [])
            + ["registration  \(registrationID)"] + identity.publicKey.fingerprintLines
            + ["prekeys       \(prekeys.count), and the last-resort prekey"]
    }

    /// For people, in a list: what stands behind its number.
    var facts: String { "\(server ?? "no server"), \(Counted.text(prekeys.count, "prekey"))" }

    var members: [(String, JSONValue?)] {
        [
            ("id", .string(Owner.textSecure(number).id)), ("number", .string(number.text)),
            ("server", server.map { .string($0) }), ("relay", relay.map { .string($0) }),
            ("registration_id", .number(registrationID)), ("public_key", .string(identity.publicKey.text)),
            ("fingerprint", .string(identity.publicKey.fingerprint)), ("prekeys", .number(prekeys.count)),
            ("last_resort_id", .number(lastResort.id)),
        ]
    }
}

extension PublicKey33 {
    /// For people: the fingerprint in three lines of 11 bytes, which fit 80 columns.
    var fingerprintLines: [String] {
        let bytes = fingerprint.split(separator: " ")
        return stride(from: 0, to: bytes.count, by: 11).map { start in
            (start == 0 ? "fingerprint   " : "              ") + bytes[start..<start + 11].joined(separator: " ")
        }
    }
}
