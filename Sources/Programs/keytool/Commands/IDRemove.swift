import ArgumentParser
import Console
import Encodings
import ThreemaKeeping
import Threema

struct IDRemove: Verb {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an identity from the keystore, with its private key.",
        discussion: "A Safe backup on a server stays there. To delete it, run keytool safe delete first.")

    @ParentCommand var noun: IDCommand
    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: IdentityArgument

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let keeper = try session.keeper(keystore.passphrase)
        let id = try session.identity(named.id, in: keeper)
        let removal = try keeper.identities.prospect(ofRemoving: id)
        if !removal.isCodeProven {
            session.output.warn(
                "no backup code of \(id) was ever verified here: without one, its private key is lost for ever")
        }
        if let server = removal.safeServer {
            session.output.warn("the Safe backup of \(id) stays on \(server)")
        }
        if removal.isSetupDamaged {
            session.output.warn(
                "a Safe backup of \(id) may remain on a server: the damaged setup does not say which one"
            )
        }
        if !yes { try session.dialog.confirm("remove \(id) and its private key", typing: id.text) }
        try keeper.identities.remove(id)
        try session.output.done(
            ["removed \(id)"],
            json: .result(
                "id remove",
                [
                    ("id", .string(id.text)), ("removed", true), ("code_proven", .bool(removal.isCodeProven)),
                    ("safe_left_on", removal.safeServer.map { .string($0) }),
                ]))
    }
}
