import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore
import MessengerKeeping
import ThreemaKeeping
import Threema

struct IDRemove: Verb {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an identity from the keystore, with its private key.",
        discussion: """
            A Safe backup on a server stays there. To delete it, run keytool safe delete first. With --pending, the \
            private key of an unfinished registration is removed.
            """)

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
        guard pending.pending.map({ $0.utf8.count >= PendingOptions.printedDigits }) ?? true else {
            throw ValidationError(
                "to remove a key, --pending requires at least \(PendingOptions.printedDigits) digits: keytool id list")
        }
    }

    func run(_ session: Session) throws {
        let keystore = try session.keystore(keystore.passphrase)
        let keeper = session.keeper(keystore)
        guard pending.pending == nil else { return try removePending(keeper, session) }
        let owner = try session.identity(named.name, in: keystore)
        let removal = try session.messengers.removal(of: owner, in: session, keystore)
        for warning in removal.warnings { session.output.warn(warning) }
        let hasSessions = try keystore.identity(owner).hasSessions()
        if hasSessions {
            session.output.warn(
                "its sessions go, too, with messages that wait; importing its keys does not bring them back")
            session.output.hint("keytool archive export --with-sessions -o FILE keeps a copy of them")
        }
        if !yes {
            let lost = removal.lost + (hasSessions ? " and sessions" : "")
            try session.dialog.confirm("remove \(owner.name) and \(lost)", typing: owner.id)
        }
        try session.messengers.remove(owner, in: session, keystore)
        try session.output.done(["removed \(owner.name)"], json: .result("id remove", removal.members))
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
