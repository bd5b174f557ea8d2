import ArgumentParser
import CommandLine
import Console
import MessengerKeeping
import ProtonMainKey

struct MainKeyPasswd: Verb {
    static let configuration = CommandConfiguration(
        commandName: "passwd", abstract: "Change the PIN or passphrase of a MainKey.",
        discussion: "The MainKey and what it encrypts stay the same. Older copies of the keystore keep the old PIN.")

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: AccountArgument<MainKeyMessenger>

    @OptionGroup var choice: NewPINOptions

    @OptionGroup(title: "New PIN or passphrase (at least 4 characters)")
    var newPIN: SecretOptions<NewMainKeyPIN>

    @OptionGroup var opening: MainKeyOpening

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let (keeper, id) = try session.open(named, keystore)
        let planned = try keeper.plan(.passwd, of: id)
        let plan = planned.plan
        try session.withMainKey(id, in: keeper, opening) { opened in
            let protection = MainKeyKeeper.NewProtection.pin(try choice.create(newPIN, session))
            try session.output.busy("deriving the key of the PIN") {
                try keeper.change(planned, holding: opened.key, isProven: opened.isProven, protection)
            }
        }
        try session.output.done(
            ["the PIN of \(id) was changed"], json: .mainKey("passwd", id, [("protections", plan.result.json)]))
        session.output.hint("older copies of the keystore still open with the old PIN")
        // The new PIN protects nothing then.
        if plan.result.hasNeedlessClearCopy { session.warnOfClearCopy(of: id) }
    }
}
