import ArgumentParser
import CommandLine
import Console
import Encodings
import ThreemaKeeping
import ThreemaRecords

struct OnPremForget: Verb {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Remove a provisioning file from the keystore.",
        discussion: "It is refused while an identity uses its directory or its Safe server.")

    @OptionGroup var globals: GlobalOptions

    @Argument(
        help: ArgumentHelp("Which one.", valueName: "company"),
        completion: .custom(IDCompletion.candidates(of: OnPremMessenger.self)))
    var name: OnPremName

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let keeper = try session.keeper(OnPremMessenger.self, keystore)
        try keeper.requireUnused(name)
        if !yes { try session.dialog.confirm("remove the provisioning file \(name) and its licence password") }
        try keeper.forget(name)
        try session.output.done(
            ["removed \(name)"],
            json: .result("onprem forget", [("name", .string(name.text)), ("removed", true)]))
    }
}
