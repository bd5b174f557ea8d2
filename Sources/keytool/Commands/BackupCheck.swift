import ArgumentParser
import Encodings
import Keystore
import SafeKeeping

struct BackupCheck: Verb {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Prove that a backup code opens, without keeping anything of it.")

    @ParentCommand var noun: BackupCommand
    @OptionGroup var globals: GlobalOptions
    @OptionGroup var code: CodeOptions

    func run(_ session: Session) throws {
        let keeper: SafeKeeper?
        do {
            keeper = try session.keeper()
        } catch KeystoreError.absent {
            // A code can be checked on a machine that holds no identity.
            keeper = nil
        }
        let (code, opened) = try code.open(session) { code, password, expectations in
            try SafeKeeper.checkCode(code, password: password, expecting: expectations, in: keeper)
        }
        try session.output.done(
            ["the code opens \(opened.id)" + (opened.isHeld ? ", which the keystore holds" : "")]
                + CodeOptions.lines(opened, code),
            json: CodeOptions.json("backup check", opened, code, ("held", .bool(opened.isHeld))))
    }
}
