import ArgumentParser
import CommandLine

struct AccountShow<M: AccountMessenger>: Verb {
    typealias Root = M.Root

    static var configuration: CommandConfiguration { AccountHelp.configuration("show", M.help.show) }

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: AccountArgument<M>

    @OptionGroup var options: M.ShowOptions

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let (keeper, id) = try session.open(named, keystore)
        try M.show(id, options, in: keeper, session.output)
    }
}
