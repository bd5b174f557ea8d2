import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore
import SecureMemory

struct AccountExport<M: AccountMessenger>: Verb {
    typealias Root = M.Root

    static var configuration: CommandConfiguration { AccountHelp.configuration("export", M.help.exported) }

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: AccountArgument<M>

    @OptionGroup var written: DocumentOptions

    @OptionGroup var options: M.ExportOptions

    @OptionGroup var protection: NewAgeFileOptions<FilePassphrase>

    @OptionGroup var keystore: KeystoreOptions

    func validate() throws { try M.check(options, with: protection) }

    func run(_ session: Session) throws {
        // Refuse before asking, not after.
        let target = try written.target(outside: session.reserved)
        try protection.check()
        let (keeper, id) = try session.open(named, keystore)
        let sealer = AccountSealer(protection, .named(target.path ?? "with \(id)"), session)
        let account = try M.exported(id, options, in: keeper, by: sealer)
        let (words, count, members) = (account.words, account.file.count, account.members)
        try account.file.withBytes { file in
            try target.write(file) { path in
                try session.output.done(
                    ["wrote \(words) to \(path)"],
                    json: M.result("export", [("file", .string(path)), ("bytes", .number(count))] + members))
            }
        }
        for warning in account.warnings { session.output.warn(warning) }
    }
}
