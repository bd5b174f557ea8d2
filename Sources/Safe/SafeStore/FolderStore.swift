public import AtomicFiles
internal import Glibc
public import SafeWire

/// A Safe server's layout in a directory, for the client (`file://`) and for a server:
///
///     DIR/config                   the server's limits, JSON
///     DIR/backups/<64 hex>         one encrypted backup each; its modification time is that of its last PUT, by a
///                                  server's `StoreClock`
///     DIR/previous/XX/             those that were replaced or deleted, if a server retains them (`PreviousName`)
///     DIR/accounts/NAME/           `backups/` and `previous/` of an account (`ServerDirectory`)
///
/// Backups are replaced whole or not at all. The directory may be shared, also on a network file system, which decides
/// about owners and permissions.
public struct FolderStore: ~Copyable, Sendable {
    /// Whom a write locks out. Writes of other processes that lock out everybody always wait.
    public enum Exclusion: Sendable {
        /// Clients of `file://`. The threads of this process take turns for each id.
        case clients
        /// All others: for a command beside a running server, which does not know what the server's threads do.
        case everybody
    }

    private static let configName = "config"
    static let backupsName = "backups"

    let shared: SharedDirectory
    /// The account whose backups these are; nil for those of a server without accounts.
    let account: AccountName?
    let exclusion: Exclusion
    /// Whether backups that are replaced or deleted are retained.
    let keepsPrevious: Bool
    /// Which of them are removed again by a write; nil for none.
    let versions: VersionRule?
    /// That of the account, for its previous backups; nil for none.
    let quota: Quota?
    /// Longest backup that is read, in bytes.
    let readLimit: Int
    let locks: IDLocks
    /// By which a server's writes are dated; nil for the times that they are given.
    let clock: StoreClock?
    /// Throws if writes are not allowed any more; called while the directory is locked.
    let authorize: WriteCheck

    /// Opens an existing directory.
    /// - Parameters:
    ///   - path: the directory that contains `config`, also for an account.
    ///   - account: the account whose backups these are. Its directory is looked up at each call.
    ///   - keepsPrevious: retain backups that are replaced or deleted through the port, until a sweep removes them.
    ///   - versions: which of them a write may remove before; nil for none.
    ///   - readLimit: longest backup that is read, in bytes.
    ///   - exclusion: whom a write locks out.
    ///   - clock: that of the `ServerDirectory`, for a server and its commands: the times that the port is given are
    ///     then readings of the wall clock, and backups are dated by the store's time.
    ///   - authorize: throws if writes are not allowed any more. It is called while the directory is locked.
    /// - Throws: `FileError`.
    public init(
        at path: String, account: AccountName? = nil, keepsPrevious: Bool = false, versions: VersionRule? = nil,
        readLimit: Int = maxFetchedBytes, excluding exclusion: Exclusion = .clients, clock: StoreClock? = nil,
        authorize: @escaping WriteCheck = {}
    ) throws(FileError) {
        self.init(
            in: try SharedDirectory(path), account: account, keepsPrevious: keepsPrevious, versions: versions,
            readLimit: readLimit, excluding: exclusion, clock: clock, authorize: authorize)
    }

    init(
        in shared: SharedDirectory, account: AccountName?, keepsPrevious: Bool = false, versions: VersionRule? = nil,
        quota: Quota? = nil, readLimit: Int = maxFetchedBytes, excluding exclusion: Exclusion = .clients,
        locks: IDLocks = IDLocks(), clock: StoreClock? = nil, authorize: @escaping WriteCheck = {}
    ) {
        self.shared = shared
        self.account = account
        self.exclusion = exclusion
        self.keepsPrevious = keepsPrevious
        self.versions = versions
        self.quota = quota
        self.readLimit = readLimit
        self.locks = locks
        self.clock = clock
        self.authorize = authorize
    }

    /// Directories that exist in an empty file system.
    private static let emptyNames: Set = ["lost+found"]

    /// Creates the directory, `backups/` and `config`, if they are missing. The directory above must exist. If `config`
    /// exists and has no valid limits, nothing is created: reading the limits tells what is wrong.
    /// - Throws: `FileError.exists` if the directory holds other files and is not a Safe server; names that begin with
    ///   a dot do not count. Then nothing was created.
    public static func prepare(at path: String, limits: ServerLimits) throws(FileError) {
        // Directories above are not created: if a disk is not mounted, the Safe would be on another one.
        try Directory.makeLast(path)
        let safe = try FolderStore(at: path)
        let names = Set(try safe.shared.directory.names())
        let ours: Set = [configName, backupsName]
        guard names.isSuperset(of: ours) || names.isSubset(of: ours.union(emptyNames)) else {
            throw .exists(path: path)
        }
        let hasConfig = try safe.shared.directory.contains(configName)
        if hasConfig {
            guard let config = try? safe.config(), (try? ServerLimits(config: config.span)) != nil else { return }
        }
        try safe.shared.directory.makeDirectory(backupsName)
        guard !hasConfig else { return }
        do throws(FileError) {
            try safe.shared.directory.write(configName, limits.config.span, existing: .refuse)
        } catch .exists {
            // Another process prepared it at the same time.
        }
    }

    /// The document `config`, unparsed, at most `ServerLimits.maxConfigBytes` bytes.
    /// - Throws: `FileError`: `.missing` if the directory is not prepared, `.tooLarge`.
    public func config() throws(FileError) -> [UInt8] {
        try shared.directory.readPublic(Self.configName, limit: ServerLimits.maxConfigBytes)
    }

    /// The bytes of a backup; nil if it does not exist.
    /// - Throws: `FileError`, for example `.missing` if `backups/` does not exist.
    package func backup(_ id: BackupID) throws(FileError) -> [UInt8]? {
        try Self.backup(id, in: backups(), limit: readLimit)
    }

    /// Length of a backup in bytes, also of one that cannot be read; nil if it does not exist.
    package func fileLength(of id: BackupID) throws(FileError) -> Int? { try backups().plainFile(id.hex)?.count }

    /// A backup with its entity tag; nil if it does not exist.
    func tagged(_ id: BackupID) throws(FileError) -> StoredBackup? {
        let backups = try backups()
        do throws(FileError) {
            let (bytes, state) = try backups.readPublic(id.hex, limit: readLimit, at: time(nil))
            return StoredBackup(bytes: bytes, tag: shared.tags.tag(of: bytes, in: state))
        } catch .missing {
            return nil
        }
    }

    /// The directory of the backups.
    /// - Throws: `.missing` if it does not exist.
    func backups() throws(FileError) -> Directory {
        try withTop { top throws(FileError) in try top.directory(Self.backupsName) }
    }

    /// Lends the directory that contains `backups/` and `previous/`.
    func withTop<Result: ~Copyable>(
        _ body: (borrowing Directory) throws(FileError) -> Result
    ) throws(FileError) -> Result {
        guard let account else { return try body(shared.directory) }
        return try body(shared.directory.directory(ServerDirectory.accountsName).directory(account.text))
    }

    /// Longest backup that `cached` copies, in bytes.
    private static let maxCachedBytes = 128 * 1024

    /// A backup that is in the kernel's memory, on a disk of this machine.
    func cached(_ id: BackupID) -> StoredBackup? {
        guard shared.mayAnswerAtOnce else { return nil }
        let top = account.map { "\(ServerDirectory.accountsName)/\($0.text)/" } ?? ""
        let found = shared.directory.readPublicAtOnce(
            "\(top)\(Self.backupsName)/\(id.hex)", limit: min(readLimit, Self.maxCachedBytes), at: time(nil))
        return found.map { StoredBackup(bytes: $0.content, tag: shared.tags.tag(of: $0.content, in: $0.state)) }
    }

    static func backup(
        _ id: BackupID, in backups: borrowing Directory, limit: Int
    ) throws(FileError) -> [UInt8]? {
        do throws(FileError) {
            return try backups.readPublic(id.hex, limit: limit)
        } catch .missing {
            return nil
        }
    }

    /// Stores a backup, whole or not at all.
    /// - Parameter existing: whether to replace an existing one.
    /// - Throws: `FileError`, for example `.exists`.
    package func store(_ backup: [UInt8], at id: BackupID, existing: Directory.Existing) throws(FileError) {
        try backups().write(id.hex, backup.span, existing: existing)
    }

    /// Removes a backup. A missing backup is not an error.
    package func remove(_ id: BackupID) throws(FileError) {
        try backups().remove(id.hex)
    }

    /// Locks the backups against other writers, and removes the temporary files of killed writers of this machine and
    /// account. Files that are not named like a backup stay.
    package func lock(wait: Duration) throws(FileError) -> FileLock {
        let backups = try backups()
        let lock = try backups.lock(wait: wait)
        backups.sweepLeftovers(where: BackupID.isHex)
        return lock
    }
}

/// A directory that the stores of several accounts share, so that not each of them takes a descriptor.
final class SharedDirectory: Sendable {
    let directory: Directory
    /// The entity tags of the files in it.
    let tags = TagCache()

    /// Whether what is in memory may be asked for on threads that must not wait.
    let mayAnswerAtOnce: Bool

    init(_ path: String) throws(FileError) {
        directory = try Directory.open(path, rule: .shared)
        mayAnswerAtOnce = directory.mayAnswerAtOnce
    }

    /// Throws if the path leads to another directory, as after a restored copy was moved there: what is stored in this
    /// one would be lost.
    func requirePlace() throws(StoreError) {
        guard (try? directory.isAtItsPath()) ?? true else {
            throw .failed(reason: "the directory of the store was moved or replaced: restart the server")
        }
    }
}
