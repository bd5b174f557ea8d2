import ArgumentParser
import Console
import Keystore
import Encodings
import ThreemaKeeping
import Threema

struct IDShow: Verb {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show an identity's public key.",
        discussion: """
            The private key is never shown. For the identity of another messenger, what that messenger has in its place.
            """)

    @ParentCommand var noun: IDCommand
    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: AnyIdentityArgument

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let keystore = try session.keystore(keystore.passphrase)
        let owner = try session.identity(named.name, in: keystore)
        guard let id = owner.threemaID else {
            let summary = try Messengers.summary(of: owner, in: session, keystore)
            return try session.output.data(
                summary.lines,
                json: .result("id show", owner.members + summary.members))
        }
        let identity = try session.keeper(keystore).identities.summary(id)
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
