public import AtomicFiles
public import Encodings
public import SafeWire

/// The directory of a server with all of its accounts:
///
///     DIR/config                   the limits, of all accounts
///     DIR/backups, DIR/previous    the backups of a server without accounts (`FolderStore`)
///     DIR/clock                    the time by which backups get old (`StoreClock`)
///     DIR/keep-previous            how long the server retains previous backups, in seconds
///     DIR/logins                   the accounts: names, hashes of passwords, quotas; 0600
///     DIR/asks-for-logins          empty; stays if the other files of accounts are lost
///     DIR/accounts/NAME/backups    the backups of an account
///     DIR/accounts/NAME/previous   those that were replaced or deleted
///
/// A server that finds `logins`, `asks-for-logins` or `accounts` serves the accounts only. What is in `logins` is the caller's.
public struct ServerDirectory: ~Copyable, Sendable {
    static let accountsName = "accounts"
    private static let loginsName = "logins"
    private static let keepPreviousName = "keep-previous"
    /// The mark of a server that has, or had, accounts.
    package static let markName = "asks-for-logins"

    /// The path as it was given, for messages.
    public let path: String
    let shared: SharedDirectory
    /// The file of accounts. To change it, use `editLogins` or `removeAccount`.
    public let logins: LoginsFile
    /// The clock of all stores in the directory.
    public let clock: StoreClock

    /// Opens an existing directory.
    /// - Throws: `FileError`.
    /// - Parameter clock: that of another value for the same directory; nil for one of its own.
    public init(at path: String, clock: StoreClock? = nil) throws(FileError) {
        self.init(in: try SharedDirectory(path), clock: clock)
    }

    init(in shared: SharedDirectory, clock: StoreClock? = nil) {
        path = shared.directory.path
        self.shared = shared
        logins = LoginsFile(Self.loginsName, in: shared)
        self.clock = clock ?? StoreClock(in: shared)
    }

    /// The directory of an account, for messages.
    public func path(of account: AccountName) -> String { path + "/" + Self.accountsName + "/" + account.text }

    // MARK: The file of accounts

    /// Whether this is a server with accounts: the file of accounts exists, or the directory with their backups, or the
    /// mark of a server that had them. So files that are lost open nothing.
    public func hasAccounts() throws(FileError) -> Bool {
        try contains(Self.loginsName, Self.accountsName, Self.markName)
    }

    /// Whether the file of accounts and the directory with their backups are both gone.
    public func hasLostAccounts() throws(FileError) -> Bool {
        guard try shared.directory.contains(Self.markName) else { return false }
        return try !contains(Self.loginsName, Self.accountsName)
    }

    /// Marks a server that has accounts, so that it does not become one for everybody if they are lost.
    public func markAccounts() throws(FileError) {
        let nothing: [UInt8] = []
        guard try !shared.directory.contains(Self.markName) else { return }
        try shared.directory.write(Self.markName, nothing.span)
    }

    private func contains(_ names: String...) throws(FileError) -> Bool {
        for name in names where try shared.directory.contains(name) { return true }
        return false
    }

    /// Whether the kernel has in memory that this is a server without accounts.
    /// - Returns: false also if it would have to look.
    package func isWithoutAccountsAtOnce() -> Bool {
        shared.mayAnswerAtOnce && shared.directory.isMissingAtOnce(Self.loginsName)
            && shared.directory.isMissingAtOnce(Self.accountsName) && shared.directory.isMissingAtOnce(Self.markName)
    }

    /// Changes the file, whole or not at all. Other edits wait.
    /// - Parameters:
    ///   - edit: makes the new content from the present one, which is empty if the file does not exist. It must not make
    ///     the directory of an account: without the file, that would refuse everybody.
    ///   - body: runs after the file is changed. Until it has returned, other edits wait.
    /// - Throws: `FileError`, or the error of `edit`; then the file is unchanged, and nothing new exists.
    public func editLogins(_ edit: ([UInt8]) throws -> [UInt8], then body: () throws -> Void = {}) throws {
        try logins.edit(edit, then: body)
    }

    // MARK: For sweeps

    /// How long the server retains previous backups, as it has said at its last start; nil if none has.
    /// - Throws: `StoreError`, also if the file is damaged: a sweep must not take another time.
    public func keepPrevious() throws(StoreError) -> Duration? {
        let text: [UInt8]
        do throws(FileError) {
            text = try shared.directory.readPublic(Self.keepPreviousName, limit: 64)
        } catch .missing {
            return nil
        } catch {
            throw StoreError(error)
        }
        guard text.last == UInt8(ascii: "\n"), let seconds = Int(String(decoding: text.dropLast(), as: UTF8.self)),
            seconds >= 0
        else { throw .failed(reason: "\(Self.keepPreviousName) is damaged; give --keep-previous") }
        return .seconds(seconds)
    }

    /// Stores it for `keepPrevious()`.
    public func storeKeepPrevious(_ time: Duration) throws(StoreError) {
        guard (try? keepPrevious()) != time else { return }
        let text = Array("\(time.components.seconds)\n".utf8)
        do throws(FileError) {
            try shared.directory.write(Self.keepPreviousName, text.span)
        } catch {
            throw StoreError(error)
        }
    }

    // MARK: The directories of accounts

    /// The backups of an account.
    /// - Parameters: as those of `FolderStore`.
    public func store(
        of account: AccountName, keepsPrevious: Bool, readLimit: Int = maxFetchedBytes
    ) -> FolderStore {
        FolderStore(in: shared, account: account, keepsPrevious: keepsPrevious, readLimit: readLimit, clock: clock)
    }

    /// The backups of an account, for a server whose accounts change meanwhile.
    /// - Parameters:
    ///   - versions: which previous backups are retained.
    ///   - quota: that of the account; its previous backups may be `VersionRule.quotaFactor` times as long.
    ///   - locks: shared by all stores of this account in the process.
    ///   - authorize: throws if the account may not write any more. It is called while the directory of the backups is
    ///     open and locked; until the write has ended, nobody removes that directory.
    package func store(
        of account: AccountName, keepsPrevious: Bool, versions: VersionRule, quota: Quota, readLimit: Int,
        locks: IDLocks, authorize: @escaping WriteCheck
    ) -> FolderStore {
        FolderStore(
            in: shared, account: account, keepsPrevious: keepsPrevious, versions: versions, quota: quota,
            readLimit: readLimit, locks: locks, clock: clock, authorize: authorize)
    }

    /// Creates the mark of a server that has accounts, and the directory of an account that is in the file. What exists
    /// stays as it is.
    public func makeAccount(_ account: AccountName) throws(FileError) {
        try markAccounts()
        try shared.directory.makeDirectory(Self.accountsName)
        let accounts = try shared.directory.directory(Self.accountsName)
        try accounts.makeDirectory(account.text)
        try accounts.directory(account.text).makeDirectory(FolderStore.backupsName)
    }

    /// Edits the file of accounts, then removes the directory of an account with all backups in it, at once for
    /// everybody else. Waits for writes that have begun; later ones fail. Other edits of the file wait for both steps,
    /// so nobody adds the account in between. A missing directory is not an error. The file comes first: an account that
    /// uploads without end must not stop its own removal.
    /// - Returns: why the directory was not removed, though the file was edited; for example `.locked`.
    /// - Parameter edit: makes the new content from the present one, as for `editLogins`: it removes the account, or
    ///   throws if the account must stay.
    /// - Throws: `FileError`, or the error of `edit`; then nothing was changed.
    @discardableResult
    public func removeAccount(_ account: AccountName, edit: ([UInt8]) throws -> [UInt8]) throws -> FileError? {
        guard try hasAccounts() else { return nil }
        try shared.directory.makeDirectory(Self.accountsName)
        let accounts = try shared.directory.directory(Self.accountsName)
        var failure: FileError?
        try logins.edit(edit) {
            do throws(FileError) { try removeDirectory(of: account, in: accounts) } catch { failure = error }
        }
        return failure
    }

    /// The caller holds the lock of all edits.
    private func removeDirectory(of account: AccountName, in accounts: borrowing Directory) throws(FileError) {
        let doomed = "." + account.text + ".new"
        // A removal that was killed has left it.
        try accounts.removeDirectory(doomed, depth: Self.accountDepth)
        guard try accounts.contains(account.text) else { return }
        let inner = try accounts.directory(account.text)
        guard try inner.contains(FolderStore.backupsName) else {
            return try accounts.removeDirectory(account.text, depth: Self.accountDepth)
        }
        let writes = try inner.directory(FolderStore.backupsName).lock(wait: LoginsFile.editWait)
        defer { withExtendedLifetime(writes) {} }
        try accounts.rename(account.text, to: doomed, existing: .refuse)
        try accounts.removeDirectory(doomed, depth: Self.accountDepth)
    }

    /// Removes what killed removals have left, unless another command is at work.
    func removeLeftovers() throws(FileError) {
        guard try shared.directory.contains(Self.accountsName) else { return }
        let accounts = try shared.directory.directory(Self.accountsName)
        do throws(FileError) {
            let lock = try logins.lock(wait: .zero)
            defer { withExtendedLifetime(lock) {} }
            try accounts.sweepDirectories(depth: Self.accountDepth)
        } catch .locked {}
    }

    /// NAME, `previous` in it, `previous/XX`, and `previous/XX/YY`.
    private static let accountDepth = 4

    /// The accounts that have a directory, in byte order, also those that are not in the file any more.
    public func accountsWithBackups() throws(FileError) -> [AccountName] {
        guard try shared.directory.contains(Self.accountsName) else { return [] }
        let accounts = try shared.directory.directory(Self.accountsName)
        var found: [AccountName] = []
        for name in try accounts.names() {
            // One that cannot be looked at is among them: to use it tells why.
            guard let account = AccountName(name), !((try? accounts.isFile(name)) ?? false) else { continue }
            found.append(account)
        }
        return found
    }

    /// How many backups belong to no account: clients stored them before there were accounts.
    public func countWithoutAccount() throws(FileError) -> Int {
        try FolderStore(in: shared, account: nil).size().backups
    }

    /// How many previous backups an account has, and their total length in bytes; nil without a directory.
    public func previousSize(of account: AccountName) throws(FileError) -> (versions: Int, bytes: Int)? {
        do throws(FileError) {
            return try FolderStore(in: shared, account: account).previousSize()
        } catch .missing {
            return nil
        }
    }

    /// How many backups an account has, their total length in bytes, and the last upload of those by the store's time;
    /// nil without a directory. `StoreClock.lead(of:)` makes it one of the wall clock.
    public func size(
        of account: AccountName
    ) throws(FileError) -> (backups: Int, bytes: Int, lastUpload: Timestamp?)? {
        do throws(FileError) {
            return try FolderStore(in: shared, account: account).size()
        } catch .missing {
            return nil
        }
    }
}
