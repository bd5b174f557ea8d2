import ArgumentParser
import Console
import Keystore
import Encodings
import ThreemaKeeping
import Threema

struct IDShow: Verb {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show an identity's public key.",
        discussion: "The private key is never shown.")

    @ParentCommand var noun: IDCommand
    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: IdentityArgument

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let keeper = try session.keeper(keystore.passphrase)
        let identity = try keeper.identities.summary(session.identity(named.id, in: keeper))
        try session.output.data(
            Self.lines(of: identity), json: .result("id show", Self.members(of: identity)))
    }

    static func lines(of identity: IdentityKeeper.Summary) -> [String] {
        ["ID          \(identity.id)"] + identity.publicKey.labelledLines
            + ["contact     \(identity.contactCode)"]
            + (identity.places.count > 1 ? ["Safe places \(identity.places.map(\.text).joined(separator: " "))"] : [])
    }

    static func members(of identity: IdentityKeeper.Summary) -> [(String, JSONValue?)] {
        [
            ("id", .string(identity.id.text)), ("public_key", .string(identity.publicKey.hex)),
            ("contact", .string(identity.contactCode)),
            ("places", identity.places.isEmpty ? nil : .array(identity.places.map { .string($0.text) })),
        ]
    }
}

extension PublicKey {
    /// The eight lines of a key, the first one behind its label.
    var labelledLines: [String] {
        ["public key  \(lines[0])"] + lines.dropFirst().map { "            \($0)" }
    }
}
