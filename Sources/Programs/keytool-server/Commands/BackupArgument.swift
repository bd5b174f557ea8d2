import ArgumentParser
import Console
import SafeStore
import SafeWire

/// Which backup a command is about.
struct BackupArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The id of the backup: 64 hexadecimal digits.", valueName: "backup-id"))
    var id: BackupID

    @Option(help: ArgumentHelp("The account whose backup it is.", valueName: "name"))
    var account: AccountName?

    /// The store of the account, or that of a server without accounts. A write locks out a running server.
    /// - Throws: `AbsentAccount` if the account has no directory.
    func backups(in store: StoreOption) throws -> FolderStore {
        let server = try store.server()
        if let account, try server.size(of: account) == nil { throw AbsentAccount(name: account) }
        return try FolderStore(
            at: server.path, account: account, keepsPrevious: true, readLimit: try store.limits().maxReadBytes,
            isAlone: true)
    }

    /// The failure for an id of which nothing is stored.
    var absent: CommandFailure {
        let failure = Failure(.absent, "there is no backup of this id, and no previous one")
        return CommandFailure(
            failure: account == nil ? failure.advising("with accounts, use --account NAME") : failure)
    }
}
