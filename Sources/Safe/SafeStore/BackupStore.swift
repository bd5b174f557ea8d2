public import Encodings
public import SafeWire

/// The port to the backups of a Safe server. One contract suite tests all its adapters. Calls block, and may come from
/// several threads at once: each is executed as a whole, before or after the others.
public protocol BackupStore: ~Copyable, Sendable {
    /// A stored backup with its entity tag.
    /// - Returns: nil if no backup of this id is stored.
    func get(_ id: BackupID) throws(StoreError) -> StoredBackup?

    /// The same, for a thread that must not wait.
    /// - Returns: nil if the backup would have to be waited for, and in all other cases in which `get` has to decide.
    func getAtOnce(_ id: BackupID) -> StoredBackup?

    /// Stores a backup whole and durably, or not at all.
    /// - Parameters:
    ///   - conditions: tested against the stored backup, in one step with the write.
    ///   - now: the time from which the backup's retention counts.
    func put(
        _ backup: [UInt8], at id: BackupID, if conditions: Preconditions, now: Timestamp
    ) throws(StoreError) -> PutResult

    /// Deletes a backup.
    /// - Parameters:
    ///   - conditions: tested as in `put`. A missing backup is `.missing`, whatever they are (RFC 9110, 13.2.1).
    ///   - now: the time from which a store that retains previous backups counts the age of this one.
    func delete(
        _ id: BackupID, if conditions: Preconditions, now: Timestamp
    ) throws(StoreError) -> DeleteResult

    /// Deletes what a sweep decides to delete, for ever. A backup that is stored again in the meantime stays. A store
    /// that expires backups by itself does nothing and returns `SweepReport.leftToStore`.
    func expire(_ sweep: Sweep) throws(StoreError) -> SweepReport

    /// The retained previous backups of an id, the newest first; empty if the store retains none.
    func versions(of id: BackupID) throws(StoreError) -> [BackupVersion]
}

extension BackupStore where Self: ~Copyable {
    /// Returns nil: every backup is read by `get(_:)`, which may wait.
    public func getAtOnce(_ id: BackupID) -> StoredBackup? { nil }
}

/// Throws if a write is not allowed any more, for example because the account was removed. A store calls it as late
/// before a write as it can.
public typealias WriteCheck = @Sendable () throws(StoreError) -> Void

/// What became of a backup that was to be stored.
public enum PutResult: Equatable, Sendable {
    /// It is stored, and there was none of this id. Its entity tag, with quotes.
    case created(tag: String)
    /// It has replaced another one. Its entity tag, with quotes.
    case replaced(tag: String)
    /// A condition does not hold; nothing was changed.
    case conditionFailed
}

/// What became of a backup that was to be deleted.
public enum DeleteResult: Equatable, Sendable {
    case deleted
    /// There was none.
    case missing
    /// A condition does not hold; nothing was changed.
    case conditionFailed
}

/// A backup that was replaced or deleted.
public struct BackupVersion: Equatable, Sendable {
    /// When it was uploaded, by the wall clock. Unique among the versions of an id, so a millisecond or more may be
    /// added.
    public let time: Timestamp
    /// When it was replaced or deleted, by the store's time.
    public let replaced: Timestamp
    /// Length in bytes.
    public let count: Int
    /// Whether it was deleted, or has expired. Earlier releases did not store this: false for their backups.
    public let isDeleted: Bool

    /// - Parameters:
    ///   - time: of its upload, by the wall clock.
    ///   - replaced: when it was replaced or deleted, by the store's time.
    ///   - count: length in bytes.
    ///   - isDeleted: whether nothing replaced it.
    public init(time: Timestamp, replaced: Timestamp, count: Int, isDeleted: Bool = false) {
        self.time = time
        self.replaced = replaced
        self.count = count
        self.isDeleted = isDeleted
    }
}

/// Why a store did not do what it was asked. After an error of `put` or `delete`, the backup is the old one or the new
/// one, and whole.
public enum StoreError: Error, Equatable, Sendable {
    /// No space is left.
    case full
    /// The quota of an account is used up.
    case quota
    /// Another program has locked the backups for too long, or too many writes of an account with a quota wait for each
    /// other.
    case busy
    /// The store asks for fewer requests. It has not carried out this one.
    case throttled
    /// The store cannot be reached now; a later try may succeed.
    case unavailable
    /// The account was removed, or has another password, since the write was asked for.
    case forbidden
    /// Any other failure; the operator has to look. `reason` names no file and no backup.
    case failed(reason: String)
}
