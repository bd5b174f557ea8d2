import ArgumentParser
import Encodings
import Keystore
import SafeKeeping
import Threema

struct BackupCheck: Verb {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Prove that a backup code opens, without keeping anything of it.")

    @ParentCommand var noun: BackupCommand
    @OptionGroup var globals: GlobalOptions
    @OptionGroup var code: CodeOptions

    @OptionGroup(title: "Keystore passphrase")
    var passphrase: SecretOptions<KeystorePassphrase>

    func run(_ session: Session) throws {
        let opened = try code.open(session)
        let isHeld: Bool
        do {
            isHeld = try session.keeper(passphrase).markProven(opened.identity)
        } catch KeystoreError.absent {
            // A code can be checked on a machine that holds no identity.
            isHeld = false
        } catch SecretError.none {
            session.output.note("the keystore is locked: it will not remember that this code was proven")
            isHeld = false
        }
        try session.output.done(
            ["the code opens \(opened.identity.id)" + (isHeld ? ", which the keystore holds" : "")] + opened.lines,
            json: opened.json("backup check", ("stored", false), ("held", .bool(isHeld))))
    }
}
