import ArgumentParser
import Console
import SafeStore
import SafeWire

/// Whose backups a command is about.
struct AccountOption: ParsableArguments {
    @Option(help: ArgumentHelp("The account whose backup it is.", valueName: "name"))
    var account: AccountName?

    /// The store of the account, or that of a server without accounts. A write locks out a running server.
    /// - Throws: `AbsentAccount` if the account has no directory.
    func backups(in store: StoreOption) throws -> FolderStore {
        let limits = try store.limits()
        let server = try ServerDirectory(at: store.directory())
        if let account, try server.size(of: account) == nil {
            throw AbsentAccount(name: account, place: store.words)
        }
        return try FolderStore(
            at: server.path, account: account, keepsPrevious: true, readLimit: limits.maxReadBytes,
            excluding: .everybody, clock: server.clock)
    }

    /// The failure for an id of which nothing is stored.
    var absent: Failure {
        let failure = Failure(.absent, "there is no backup of this id, and no previous one")
        return account == nil ? failure.advising(Hint(Self.advice)) : failure
    }

    static let advice = "with accounts, use --account NAME"
}
