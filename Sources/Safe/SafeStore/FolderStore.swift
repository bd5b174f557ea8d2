package import AtomicFiles
package import SafeWire

/// A Safe server's layout in a directory:
///
///     DIR/config              the server's limits, JSON
///     DIR/backups/<64 hex>    one encrypted backup each
///
/// Backups are replaced whole or not at all. The directory may be shared, on a network file system too:
/// whose files these are is left to the file system.
package struct FolderStore: ~Copyable {
    private static let configName = "config"
    private static let backupsName = "backups"

    private let directory: Directory

    /// Opens an existing directory; nothing is made.
    /// - Throws: `FileError`.
    package init(at path: String) throws(FileError) {
        directory = try Directory.open(path, rule: .shared)
    }

    /// What stands in an empty file system.
    private static let emptyNames: Set = ["lost+found"]

    /// Makes the directory where it is missing, then `backups/`, then `config` where it has none.
    /// - Throws: `FileError.exists` for a directory that holds other files, unless it is a Safe server already; names
    ///   that begin with a dot do not count. Then nothing was made.
    package static func prepare(at path: String, limits: ServerLimits) throws(FileError) {
        // No directory above it: where a disk is not mounted, the Safe would come to lie on another.
        try Directory.makeLast(path)
        let safe = try FolderStore(at: path)
        let names = Set(try safe.directory.names())
        let ours: Set = [configName, backupsName]
        guard names.isSuperset(of: ours) || names.isSubset(of: ours.union(emptyNames)) else {
            throw .exists(path: path)
        }
        try safe.directory.makeDirectory(backupsName)
        guard try !safe.directory.contains(configName) else { return }
        do throws(FileError) {
            try safe.directory.write(configName, limits.config.span, existing: .refuse)
        } catch .exists {
            // Somebody else prepared it at the same moment.
        }
    }

    /// The document `config`.
    package func config() throws(FileError) -> [UInt8] {
        try directory.readPublic(Self.configName, limit: ServerLimits.maxConfigBytes)
    }

    /// The bytes of a backup, nil where there is none.
    /// - Throws: `.missing` where there is no `backups/`.
    package func backup(_ id: BackupID) throws(FileError) -> [UInt8]? {
        let backups = try directory.directory(Self.backupsName)
        guard try backups.contains(id.hex) else { return nil }
        return try backups.readPublic(id.hex, limit: maxFetchedBytes)
    }

    /// Stores a backup, whole or not at all.
    /// - Parameter existing: whether one that is there may be replaced.
    /// - Throws: `FileError.exists` if it may not.
    package func store(_ backup: [UInt8], at id: BackupID, existing: Directory.Existing) throws(FileError) {
        try directory.directory(Self.backupsName).write(id.hex, backup.span, existing: existing)
    }

    /// Removes a backup; one that is not there is fine.
    package func remove(_ id: BackupID) throws(FileError) {
        try directory.directory(Self.backupsName).remove(id.hex)
    }

    /// Keeps other writers of backups away until the lock is dropped, and clears up behind those of this machine and
    /// account that were killed. Files that are not called after a backup are left alone.
    package func lock(wait: Duration) throws(FileError) -> FileLock {
        let backups = try directory.directory(Self.backupsName)
        let lock = try backups.lock(wait: wait)
        backups.sweepLeftovers(where: BackupID.isHex)
        return lock
    }
}
