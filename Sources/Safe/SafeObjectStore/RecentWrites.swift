internal import Encodings
internal import SafeWire
internal import Synchronization

/// Which backups of an account this process has written in the last minutes: the list of a bucket may lack them.
final class RecentWrites: Sendable {
    /// How long a write is remembered. OpenStack Swift completes its lists every five minutes, unless it is overloaded.
    static let term = Duration.seconds(600)
    /// Most backups. Of more, those that were written last are remembered.
    static let maxCount = 16

    private let writes = Mutex<[(id: BackupID, time: Timestamp)]>([])

    /// Remembers a write. One that fails may be remembered, too: its backup is the old one or the new one.
    func note(_ id: BackupID, at now: Timestamp) {
        writes.withLock { writes in
            writes.removeAll { $0.id == id }
            if writes.count == Self.maxCount { writes.removeFirst() }
            writes.append((id, now))
        }
    }

    /// The backups that were written during `term`.
    func ids(at now: Timestamp) -> Set<BackupID> {
        writes.withLock { writes in
            writes.removeAll { now - $0.time > Self.term }
            return Set(writes.map(\.id))
        }
    }
}
