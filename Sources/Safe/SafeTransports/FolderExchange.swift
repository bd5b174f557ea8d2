internal import AtomicFiles
internal import Glibc
internal import SafeStore
package import SafeWire

/// The Safe server in a local directory, `file:///DIR`.
///
/// Each request opens the directory again, because it may be mounted or unmounted in between.
package struct FolderExchange: SafeExchange {
    private let path: String
    private let name: String
    private let lockWait: Duration

    /// Opens nothing.
    /// - Parameter lockWait: how long `hold` waits for another process.
    /// - Returns: nil if the address is not a directory.
    package init?(_ address: SafeServerAddress, lockWait: Duration = .seconds(60)) {
        guard case .directory(let path) = address else { return nil }
        self.path = path
        self.lockWait = lockWait
        name = address.text
    }

    package func config() throws(SafeExchangeError) -> [UInt8] {
        try answer { (safe) throws(FileError) in try safe.config() }
    }

    package func fetch(_ id: BackupID) throws(SafeExchangeError) -> StoredBackup? {
        let bytes = try answer { (safe) throws(FileError) in try safe.backup(id) }
        return bytes.map { StoredBackup(bytes: $0) }
    }

    /// Stores a backup. `.unchanged` is ignored, because a directory has no tags. `hold` excludes other
    /// writers of this program.
    package func store(
        _ backup: [UInt8], at id: BackupID, if condition: WriteCondition
    ) throws(SafeExchangeError) {
        let existing: Directory.Existing = condition == .absent ? .refuse : .replace
        try answer { (safe) throws(FileError) in try safe.store(backup, at: id, existing: existing) }
    }

    /// Removes a backup. The condition is ignored, because a directory has no tags.
    package func remove(_ id: BackupID, if condition: WriteCondition) throws(SafeExchangeError) {
        try answer { (safe) throws(FileError) in try safe.remove(id) }
    }

    /// Locks the backups. If the file system has no locks, only verifying an upload reveals two writers at once.
    package func hold() throws(SafeExchangeError) -> (any Sendable)? {
        try answer { (safe) throws(FileError) in try Hold(lock: safe.lock(wait: lockWait)) }
    }

    private final class Hold: Sendable {
        private let lock: FileLock

        init(lock: consuming FileLock) { self.lock = lock }
    }

    package func prepare(_ limits: ServerLimits) throws(SafeExchangeError) {
        do throws(FileError) {
            try FolderStore.prepare(at: path, limits: limits)
        } catch {
            switch error {
            case .missing: throw .unavailable(name)
            case .exists: throw .notEmpty(name)
            default: throw SafeExchangeError(error, name, at: path)
            }
        }
    }

    private func answer<Answer>(
        _ request: (borrowing FolderStore) throws(FileError) -> Answer
    ) throws(SafeExchangeError) -> Answer {
        let safe: FolderStore
        do throws(FileError) {
            safe = try FolderStore(at: path)
        } catch {
            // The directory itself is missing: it is not mounted, or the disk was unplugged.
            if case .missing = error { throw .unavailable(name) }
            throw SafeExchangeError(error, name, at: path)
        }
        do throws(FileError) {
            return try request(safe)
        } catch {
            throw SafeExchangeError(error, name, at: path)
        }
    }
}

extension SafeExchangeError {
    fileprivate init(_ error: FileError, _ name: String, at path: String) {
        self =
            switch error {
            // The directory exists, but `config` or `backups` does not.
            case .missing: .notPrepared(name)
            case .tooLarge(_, let limit): .tooLarge(limit: limit)
            case .system(_, _, ESTALE), .system(_, _, EIO), .system(_, _, ETIMEDOUT), .system(_, _, EHOSTDOWN):
                .unavailable(name)
            case .system(_, _, ENOSPC), .system(_, _, EDQUOT), .system(_, _, EFBIG): .full
            case .system(_, _, let code): .refused(code: code)
            case .wrongKind(path): .refused(code: ENOTDIR)
            case .wrongKind(path + "/config"): .wrongKind(name, .config)
            case .wrongKind(path + "/backups"): .wrongKind(name, .backups)
            case .wrongKind: .wrongKind(name, .backup)
            case .locked: .busy(name)
            case .exists: .changed(name)
            case .exposed, .notOurs, .unsafeLink: .refused(code: EACCES)
            }
    }
}
