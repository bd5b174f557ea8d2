import ArgumentParser
import Console
import Encodings
import Keystore
import ThreemaKeeping
import Threema

struct IDRemove: Verb {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an identity from the keystore, with its private key.",
        discussion: """
            A Safe backup on a server stays there. To delete it, run keytool safe delete first. With --pending, the \
            private key of an unfinished registration is removed.
            """)

    @ParentCommand var noun: IDCommand
    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: AnyIdentityArgument

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup var pending: PendingOptions

    @OptionGroup var keystore: KeystoreOptions

    func validate() throws {
        guard pending.pending == nil || named.name == nil else {
            throw ValidationError("--pending cannot be combined with an ID")
        }
    }

    func run(_ session: Session) throws {
        let keystore = try session.keystore(keystore.passphrase)
        let keeper = session.keeper(keystore)
        guard pending.pending == nil else { return try removePending(keeper, session) }
        let owner = try session.identity(named.name, in: keystore)
        guard let id = owner.threemaID else { return try remove(owner, from: keystore, session) }
        let removal = try keeper.identities.prospect(ofRemoving: id)
        if !removal.isCodeProven {
            session.output.warn(
                "no backup code of \(id) was ever verified here: without one, its private key is lost for ever")
        }
        for server in removal.safeServers {
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
                    ("safe_left_on", removal.safeServers.first.map { .string($0) }),
                    (
                        "safes_left_on",
                        removal.safeServers.isEmpty ? nil : .array(removal.safeServers.map { .string($0) })
                    ),
                ]))
    }

    /// Removes an identity of a messenger beside Threema.
    private func remove(_ owner: Owner, from keystore: OpenKeystore, _ session: Session) throws {
        // An identity with damaged records can be removed, too.
        _ = try keystore.identity(owner)
        session.output.warn("without an exported file or an archive, the keys of \(owner.name) are lost for ever")
        if !yes { try session.dialog.confirm("remove \(owner.name) and its keys", typing: owner.id) }
        try Messengers.messenger(of: owner).remove(owner, in: session, keystore)
        try session.output.done(
            ["removed \(owner.name)"],
            json: .result("id remove", owner.members + [("removed", true)]))
    }

    private func removePending(_ keeper: ThreemaKeeper, _ session: Session) throws {
        let key = try pending.key(in: keeper)
        session.output.warn("if the directory has registered this key, its ID is lost for ever")
        if !yes {
            try session.dialog.confirm(
                "remove the pending key \(key.hex.prefix(8))…", typing: String(key.hex.prefix(8)))
        }
        try keeper.identities.removePending(key)
        try session.output.done(
            ["removed the pending key \(key.hex)"],
            json: .result("id remove", [("public_key", .string(key.hex)), ("removed", true)]))
    }
}
