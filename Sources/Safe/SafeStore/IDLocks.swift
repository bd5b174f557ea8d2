package import SafeWire
internal import Synchronization

/// Locks by which the threads of a process take turns for each backup id. Ids that fall on the same lock take turns
/// too.
package final class IDLocks: Sendable {
    private final class Lock: Sendable {
        let mutex = Mutex(())
    }

    private let locks: [Lock]

    /// Creates locks that nobody holds.
    /// - Parameter count: the more there are, the less often do two ids take turns by chance.
    package init(count: Int = 64) { locks = (0..<count).map { _ in Lock() } }

    /// Runs `body` while no other thread holds the lock of this id.
    package func holding<Result, E>(_ id: BackupID, _ body: () throws(E) -> Result) throws(E) -> Result {
        let lock = locks[Int(UInt(bitPattern: id.hashValue) % UInt(locks.count))]
        var answer: Swift.Result<Result, E>?
        lock.mutex.withLock { _ in
            do throws(E) { answer = .success(try body()) } catch { answer = .failure(error) }
        }
        return try answer!.get()
    }
}
