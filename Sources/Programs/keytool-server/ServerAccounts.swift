import ArgumentParser
import AtomicFiles
import Console
import Encodings
import SafeServer
import SafeStore

/// Where the accounts are: options of every command about them.
struct AccountsOption: ParsableArguments {
    @OptionGroup var store: StoreOption

    @OptionGroup var file: AccountsFileOption

    /// What the command of a hint needs to find the same accounts, as `StoreOption.words`.
    var words: String { store.words + (file.accounts.map { " --accounts " + ShellWord.path($0) } ?? "") }

    /// The accounts, for a command that reads them.
    /// - Throws: `UsageFailure`; `FileError.missing` if the directory is not prepared.
    func accounts() throws -> ServerAccounts {
        if let path = try path() { return ServerAccounts(try LoginsFile(at: path)) }
        return ServerAccounts(try store.server())
    }

    /// The accounts, for a command that changes them.
    /// - Throws: also a failure if root runs it on files of another account, which could not read the new ones.
    func changedAccounts() throws -> ServerAccounts {
        if let path = try path() {
            try RootGuard.check(file: path)
            return ServerAccounts(try LoginsFile(at: path))
        }
        return ServerAccounts(try store.changedServer())
    }

    /// Makes a directory a server's, if it is missing or empty. A file of accounts needs no preparation.
    /// - Throws: also a failure if root runs it on a directory of another account.
    func prepare() throws {
        guard try path() == nil else { return }
        let directory = try store.directory()
        try RootGuard.check(directory: directory)
        try StoreLocation.prepare(directory)
    }

    /// The file of accounts, which an object store needs; nil for a directory. An option counts before a variable.
    /// - Throws: `UsageFailure` also for both options or both variables, as `serve` does.
    private func path() throws -> String? {
        if case .objects? = try? store.location() {
            guard let path = try file.path() else {
                throw UsageFailure(
                    "the accounts of an object store are in a file of their own", hint: "use --accounts FILE")
            }
            return path
        }
        guard (file.accounts == nil) == (store.store == nil) else { return file.accounts }
        let given = try file.path()
        guard given != nil, store.store != nil || (try? store.location()) != nil else { return given }
        throw UsageFailure(
            "--accounts and --store cannot be combined", hint: "the accounts of a directory are in its file logins")
    }
}

/// The file of accounts of servers whose store is not a directory.
struct AccountsFileOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The file of accounts, for servers on an object store (KEYTOOL_SERVER_ACCOUNTS).", valueName: "file"),
        completion: .file())
    var accounts: String?

    func path() throws -> String? { try Setting.value(accounts, "accounts") }

    /// Refuses the option for a store that has accounts of its own, or none.
    func refuse() throws {
        guard try path() == nil else {
            throw UsageFailure(
                "--accounts needs a store on an S3 server", hint: "the accounts of a directory are in its file logins")
        }
    }
}

/// The accounts of one server, or of all servers on an object store.
struct ServerAccounts: ~Copyable {
    /// The file of accounts.
    let logins: LoginsFile
    /// The server's directory, with the backups of the accounts; nil if they are in an object store.
    let directory: ServerDirectory?

    init(_ logins: LoginsFile) {
        self.logins = logins
        directory = nil
    }

    init(_ directory: consuming ServerDirectory) {
        logins = directory.logins
        self.directory = consume directory
    }

    /// Refuses what only a directory has.
    /// - Parameter option: what was asked for, as it was typed.
    func requireDirectory(for option: String) throws {
        guard directory == nil else { return }
        throw UsageFailure(
            "\(option) needs a store that is a directory", hint: "backups in an object store stay until they expire")
    }

    /// The accounts, in the order of the file.
    func file() throws -> AccountFile { AccountFile(try logins.content() ?? []) }

    /// Whether a server asks for logins.
    func exist() throws -> Bool {
        switch directory {
        case .some(let directory): try directory.hasAccounts()
        case .none: try logins.version() != nil
        }
    }

    /// Changes the file of accounts, whole or not at all. Other edits wait.
    /// - Parameters:
    ///   - edit: changes the accounts. If it throws, nothing is changed.
    ///   - account: the directory of this account is made after that, if accounts have one.
    /// - Returns: why it was not made. The server makes it when the account is used.
    @discardableResult
    func edit(makes account: AccountName? = nil, _ edit: (inout AccountFile) throws -> Void) throws -> FileError? {
        let change = { content in try Self.change(content, edit) }
        switch directory {
        case .some(let directory):
            var failure: FileError?
            try directory.editLogins(change) {
                do throws(FileError) {
                    if let account { try directory.makeAccount(account) }
                } catch {
                    failure = error
                }
            }
            return failure
        case .none:
            try logins.edit(change)
            return nil
        }
    }

    /// Changes the file, then deletes all backups of an account.
    /// - Returns: why they were not deleted.
    func editAndDelete(_ name: AccountName, _ edit: (inout AccountFile) throws -> Void) throws -> FileError? {
        switch directory {
        case .some(let directory):
            return try directory.removeAccount(name) { content in try Self.change(content, edit) }
        case .none:
            try requireDirectory(for: "--delete-backups")
            return nil
        }
    }

    private static func change(
        _ content: [UInt8], _ edit: (inout AccountFile) throws -> Void
    ) throws -> [UInt8] {
        var file = AccountFile(content)
        try edit(&file)
        return file.content
    }

    /// How many backups an account has, their total length in bytes, and the last upload of those by the store's time;
    /// nil if it has no directory, or if they are in an object store: only the servers have its keys.
    func size(of name: AccountName) throws -> (backups: Int, bytes: Int, lastUpload: Timestamp?)? {
        switch directory {
        case .some(let directory): try directory.size(of: name)
        case .none: nil
        }
    }

    /// How many previous backups an account has, and their total length in bytes; nil as in `size(of:)`.
    func previousSize(of name: AccountName) throws -> (versions: Int, bytes: Int)? {
        switch directory {
        case .some(let directory): try directory.previousSize(of: name)
        case .none: nil
        }
    }

    /// How far the wall clock is ahead of the store's time; zero for an object store.
    func lead(of wall: Timestamp) throws -> Duration {
        switch directory {
        case .some(let directory): try directory.clock.lead(of: wall)
        case .none: .zero
        }
    }

    /// How many backups in the directory belong to no account.
    func countWithoutAccount() throws -> Int {
        switch directory {
        case .some(let directory): try directory.countWithoutAccount()
        case .none: 0
        }
    }

    /// The directories of accounts that are not in the file any more.
    func leftDirectories(_ file: AccountFile) throws -> [(name: AccountName, path: String)] {
        switch directory {
        case .some(let directory):
            try directory.accountsWithBackups().filter { file[$0] == nil }.map { ($0, directory.path(of: $0)) }
        case .none: []
        }
    }

    /// The directory of an account, for messages; nil if it has none.
    func path(of name: AccountName) -> String? {
        switch directory {
        case .some(let directory): directory.path(of: name)
        case .none: nil
        }
    }
}
