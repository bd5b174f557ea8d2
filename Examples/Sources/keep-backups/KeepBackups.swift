import Encodings
import Foundation
import SafeStore
import SafeWire
import SecureMemory

/// Stores a backup in a directory, replaces it, and takes the former one back.
///
///     keep-backups DIR
@main
struct KeepBackups {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else { return print("usage: keep-backups DIR") }
        try FolderStore.prepare(at: CommandLine.arguments[1], limits: .standard)
        let store = try FolderStore(at: CommandLine.arguments[1], keepsPrevious: true)
        let now = Timestamp(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000))
        let id = BackupID(Random.bytes(BackupID.count).span)

        guard case .created(let tag) = try store.put([1, 2, 3], at: id, if: .none, now: now) else { return }
        // The second writer has read the same backup, but comes too late.
        for backup in [[4, 5], [6]] as [[UInt8]] {
            print("replaced: \(try replace(tag, by: backup, at: id, in: store, now))")
        }
        print("stored: \(try store.get(id)?.bytes ?? [])")

        guard let former = try store.versions(of: id).first else { return }
        let plan = try store.plan(.single(id, uploaded: former.time), now: now)
        print("restored: \(try store.restore(plan, now: now))")
        print("stored: \(try store.get(id)?.bytes ?? [])")

        let report = try store.expire(sweep(wall: now + .days(300), last: nil))
        print("due: \(report.counts.expired) of \(report.counts.total), deleted: \(report.isCarriedOut)")
    }

    /// Replaces a backup unless it has changed since it had this tag.
    static func replace(
        _ tag: String, by backup: [UInt8], at id: BackupID, in store: borrowing FolderStore, _ now: Timestamp
    ) throws(StoreError) -> Bool {
        switch try store.put(backup, at: id, if: Preconditions(match: .these([tag])), now: now) {
        case .created, .replaced: true
        case .conditionFailed: false
        }
    }

    /// What has not been stored again for 180 days and 30 more is due.
    static func sweep(wall: Timestamp, last: ClockReading?) -> Sweep {
        let now = ClockReading(wall: wall, monotonic: .seconds(ProcessInfo.processInfo.systemUptime))
        return Sweep(retentionDays: ServerLimits.defaultRetentionDays, now: now, last: last)
    }
}
