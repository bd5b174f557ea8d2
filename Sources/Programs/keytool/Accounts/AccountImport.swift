import ArgumentParser
import CommandLine
import Console
import Keystore

struct AccountImport<M: AccountMessenger>: Verb {
    typealias Root = M.Root

    static var configuration: CommandConfiguration { AccountHelp.configuration("import", M.help.imported) }

    @OptionGroup var globals: GlobalOptions

    @Argument(help: ArgumentHelp("\(M.help.source.help)", valueName: M.help.source.name), completion: .file())
    var file: String

    @OptionGroup var options: M.ImportOptions

    @OptionGroup var opening: AccountFileOptions

    @OptionGroup var keystore: NewKeystoreOptions

    func run(_ session: Session) throws {
        var isProtected = true
        let account = try M.imported(file, options, opening, session) {
            let opened = try session.newKeystore(keystore)
            isProtected = opened.isProtected
            return opened
        }
        if !account.lines.isEmpty || session.output.isJSON {
            try session.output.done(account.lines, json: M.result("import", account.members))
        }
        if account.isNew, !keystore.noPassphrase { session.noteProtection(isProtected: isProtected) }
        account.notes(session.output)
        if let failure = account.failure { throw CommandFailure(failure: failure, isReported: true) }
    }
}
