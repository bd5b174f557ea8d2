import ArgumentParser
import Encodings
import SafeKeeping
import SecureMemory
import Threema

struct BackupImport: Verb {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Bring an identity back from its backup code.")

    @ParentCommand var noun: BackupCommand
    @OptionGroup var globals: GlobalOptions
    @OptionGroup var code: CodeOptions

    @Flag(help: "Replace another private key that the keystore holds for this ID.")
    var replace = false

    func run(_ session: Session) throws {
        let (code, opened) = try code.open(session) { code, password, expectations in
            try session.keeperOfNewKeystore().importCode(
                code, password: password, expecting: expectations, replacing: replace)
        }
        let lead = opened.isStored ? "imported" : "held already, with the same key:"
        try session.output.done(
            ["\(lead) \(opened.id)"] + CodeOptions.lines(opened, code),
            json: CodeOptions.json("backup import", opened, code, ("stored", .bool(opened.isStored))))
        if opened.isStored { session.output.note("the keystore is not protected by a passphrase") }
    }
}
