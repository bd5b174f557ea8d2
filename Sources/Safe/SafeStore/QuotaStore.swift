internal import AtomicFiles
public import Encodings
public import SafeWire
internal import Synchronization

/// A store that knows how much it holds. Previous backups do not count: `VersionRule` has a limit for them.
public protocol MeasuredStore: BackupStore, ~Copyable {
    /// The length of a stored backup in bytes; 0 if there is none.
    func length(of id: BackupID) throws(StoreError) -> Int

    /// The lengths of all other stored backups together, in bytes; `Int.max` if they are too many to count.
    func lengthOfOthers(than id: BackupID) throws(StoreError) -> Int
}

/// Most bytes of stored backups, which may change while a store is in use. All stores of the same backups in a process
/// share one value.
public final class Quota: Sendable {
    /// Most threads that write at once, of which one has its turn. The others are told to come again: if the store is
    /// slow, an account holds a quarter of a listener's standard number of threads, and does not make other accounts wait.
    package static let maxWriters = 4

    private let limit: Mutex<Int?>
    /// Two writers must not both find the same room.
    private let turn = Mutex(())
    private let writers = Atomic(0)
    /// Nil if it has to be measured.
    let previous = Mutex<PreviousBytes?>(nil)

    /// - Parameter bytes: nil for no limit.
    public init(bytes: Int?) { limit = Mutex(bytes) }

    /// Most bytes of all stored backups; nil for no limit. A lower value deletes nothing; later writes are compared
    /// with it.
    public var bytes: Int? {
        get { limit.withLock { $0 } }
        set { limit.withLock { $0 = newValue } }
    }

    /// Runs `body` while no other thread does so.
    /// - Throws: `.busy` if `maxWriters` threads have a turn or wait for one; otherwise the error of `body`.
    fileprivate func inTurn<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        defer { writers.subtract(1, ordering: .relaxed) }
        guard writers.add(1, ordering: .relaxed).newValue <= Self.maxWriters else { throw .busy }
        var result: Result<Value, StoreError>?
        turn.withLock { _ in result = Result { () throws(StoreError) in try body() } }
        return try result!.get()
    }
}

/// A store with a quota: a PUT after which the backups would be longer than the quota is refused as on a full disk. A
/// PUT that replaces a backup by one of the same length or a shorter one is always possible.
///
/// Previous backups do not count here, because only the operator sees them: an account that could fill its quota with
/// them would be refused a replacement for a reason that it cannot remove. They have a quota of their own
/// (`VersionRule`), beyond which some of them are removed. An operator restores one without a quota.
public struct QuotaStore<Base: MeasuredStore & ~Copyable>: BackupStore, ~Copyable {
    private let base: Base
    private let quota: Quota

    /// - Parameters:
    ///   - base: all writes of this process to its backups go through stores with the same `quota`.
    ///   - quota: may change at any time.
    public init(_ base: consuming Base, quota: Quota) {
        self.base = base
        self.quota = quota
    }

    /// Stores a backup.
    /// - Throws: `.quota` if it is exceeded; `.busy` also if `Quota.maxWriters` other writes have not ended; otherwise
    ///   as the store itself.
    public func put(
        _ backup: [UInt8], at id: BackupID, if conditions: Preconditions, now: Timestamp
    ) throws(StoreError) -> PutResult {
        guard let limit = quota.bytes else { return try base.put(backup, at: id, if: conditions, now: now) }
        // Lengths change less often than they are compared, but counting them each time is right also after a sweep, a
        // restored backup or a client that writes into the directory.
        return try quota.inTurn { () throws(StoreError) in
            let room = limit - (try base.lengthOfOthers(than: id))
            if backup.count > room, backup.count > (try base.length(of: id)) {
                // A condition that fails is the better answer.
                let tag = conditions == .none ? nil : try base.get(id)?.tag
                guard conditions.hold(for: tag) else { return .conditionFailed }
                throw .quota
            }
            return try base.put(backup, at: id, if: conditions, now: now)
        }
    }

    /// Reads from the store itself; a quota never refuses to read.
    public func get(_ id: BackupID) throws(StoreError) -> StoredBackup? { try base.get(id) }

    /// As the store itself: a quota never refuses to read.
    public func getAtOnce(_ id: BackupID) -> StoredBackup? { base.getAtOnce(id) }

    /// Deletes in the store itself; a quota never refuses to delete.
    public func delete(
        _ id: BackupID, if conditions: Preconditions, now: Timestamp
    ) throws(StoreError) -> DeleteResult { try base.delete(id, if: conditions, now: now) }

    /// Sweeps the store itself; what expires does not count any more.
    public func expire(_ sweep: Sweep) throws(StoreError) -> SweepReport { try base.expire(sweep) }

    /// The previous backups of the store itself, which the quota does not count.
    public func versions(of id: BackupID) throws(StoreError) -> [BackupVersion] { try base.versions(of: id) }
}

extension MemoryStore: MeasuredStore {
    /// The length of a stored backup in bytes; 0 if there is none. Throws nothing.
    public func length(of id: BackupID) -> Int { allLengths[id] ?? 0 }

    /// The lengths of all other stored backups together, in bytes. Throws nothing.
    public func lengthOfOthers(than id: BackupID) -> Int {
        allLengths.reduce(0) { $1.key == id ? $0 : $0 + $1.value }
    }
}

extension FolderStore: MeasuredStore {
    /// The length of a stored backup in bytes; 0 if there is none.
    public func length(of id: BackupID) throws(StoreError) -> Int {
        try answered { () throws(FileError) in try storedLength(of: id) ?? 0 }
    }

    /// The lengths of all other stored backups together: reads the names of all.
    public func lengthOfOthers(than id: BackupID) throws(StoreError) -> Int {
        try answered { () throws(FileError) in try size(without: id).bytes }
    }
}
