internal import AtomicFiles
public import Encodings
public import SafeWire
internal import Synchronization

/// A store that knows how much it holds.
public protocol MeasuredStore: BackupStore, ~Copyable {
    /// The lengths of the stored backups. Previous backups do not count.
    func lengths(at id: BackupID) throws(StoreError) -> StoredLengths
}

/// Lengths of stored backups, in bytes.
public struct StoredLengths: Equatable, Sendable {
    /// The backup of the id in question; 0 if there is none.
    public let present: Int
    /// All other backups together.
    public let others: Int

    /// - Parameters:
    ///   - present: the backup of the id in question; 0 if there is none.
    ///   - others: all other backups together.
    public init(present: Int, others: Int) {
        self.present = present
        self.others = others
    }
}

/// Most bytes of stored backups, which may change while a store is in use. All stores of the same backups in a process
/// share one value.
public final class Quota: Sendable {
    private let limit: Mutex<Int?>
    /// Two writers must not both find the same room.
    fileprivate let turn = Mutex(())

    /// - Parameter bytes: nil for no limit.
    public init(bytes: Int?) { limit = Mutex(bytes) }

    /// Nil for no limit.
    public var bytes: Int? {
        get { limit.withLock { $0 } }
        set { limit.withLock { $0 = newValue } }
    }
}

/// A store with a quota: a PUT after which the backups would be longer than the quota is refused as on a full disk. A
/// PUT that replaces a backup by one of the same length or a shorter one is always possible.
///
/// Previous backups do not count, because only the operator sees them and their term is short: an account that could
/// fill its quota with them would be refused a replacement for a reason that it cannot remove. Restoring one is the
/// operator's decision, and is not refused.
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
    /// - Throws: `.quota` if it is exceeded; otherwise as the store itself.
    public func put(
        _ backup: [UInt8], at id: BackupID, if conditions: Preconditions, now: Timestamp
    ) throws(StoreError) -> PutResult {
        guard let limit = quota.bytes else { return try base.put(backup, at: id, if: conditions, now: now) }
        // Lengths change less often than they are compared, but counting them each time is right also after a sweep, a
        // restored backup or a client that writes into the directory.
        var result: Result<PutResult, StoreError>?
        quota.turn.withLock { _ in
            result = Result { () throws(StoreError) in
                let lengths = try base.lengths(at: id)
                if backup.count > lengths.present, backup.count > limit - lengths.others {
                    // A condition that fails is the better answer.
                    let tag = conditions == .none ? nil : try base.get(id)?.tag
                    guard conditions.hold(for: tag) else { return .conditionFailed }
                    throw .quota
                }
                return try base.put(backup, at: id, if: conditions, now: now)
            }
        }
        return try result!.get()
    }

    /// As the store itself.
    public func get(_ id: BackupID) throws(StoreError) -> StoredBackup? { try base.get(id) }

    /// As the store itself.
    public func delete(
        _ id: BackupID, if conditions: Preconditions, now: Timestamp
    ) throws(StoreError) -> DeleteResult { try base.delete(id, if: conditions, now: now) }

    /// As the store itself.
    public func expire(_ sweep: Sweep) throws(StoreError) -> SweepReport { try base.expire(sweep) }

    /// As the store itself.
    public func versions(of id: BackupID) throws(StoreError) -> [BackupVersion] { try base.versions(of: id) }

    /// As the store itself: the quota does not count.
    public func restore(_ id: BackupID, from time: Timestamp, now: Timestamp) throws(StoreError) -> Bool {
        try base.restore(id, from: time, now: now)
    }
}

extension MemoryStore: MeasuredStore {
    /// The lengths of the stored backups. Throws nothing.
    public func lengths(at id: BackupID) -> StoredLengths {
        let all = allLengths
        let present = all[id] ?? 0
        return StoredLengths(present: present, others: all.values.reduce(-present, +))
    }
}

extension FolderStore: MeasuredStore {
    /// The lengths of the stored backups: reads the names of all.
    public func lengths(at id: BackupID) throws(StoreError) -> StoredLengths {
        try answered { () throws(FileError) in
            let all = try allLengths()
            let present = all.first { $0.id == id }?.count ?? 0
            return StoredLengths(present: present, others: all.reduce(-present) { $0 + $1.count })
        }
    }
}
