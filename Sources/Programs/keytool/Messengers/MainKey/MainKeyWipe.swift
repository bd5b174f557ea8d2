import ArgumentParser
import CommandLine
import Console
import Encodings
import MessengerKeeping
import ProtonMainKey

struct MainKeyWipe: Verb {
    static let configuration = CommandConfiguration(
        commandName: "wipe", abstract: "Destroy a MainKey with all its protections.",
        discussion: """
            Removes every record of the key and its copy in the kernel's keyring, and looks whether they are gone. What \
            the key encrypts cannot be read any more, unless it was exported.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: AccountArgument<MainKeyMessenger>

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let (keeper, id) = try session.open(named, keystore)
        if !yes {
            session.output.warn("what the MainKey encrypts is lost for ever, unless you have exported the key")
            try session.dialog.confirm("destroy the MainKey \(id)", typing: id.description)
        }
        let isKeyringSeen = try keeper.wipe(id)
        if !isKeyringSeen { session.warnOfUnseenKeyring() }
        try session.output.done(
            ["destroyed the MainKey \(id)"],
            json: .mainKey("wipe", id, [("wiped", true), ("keyring_checked", .bool(isKeyringSeen))]))
        session.output.hint("older copies of the keystore still hold the key")
    }
}

extension Session {
    /// Says that a destroyed MainKey may still be unlocked.
    func warnOfUnseenKeyring() {
        output.warn("the kernel's keyring cannot be used: an unlocked key in it would stay until it expires")
    }
}
