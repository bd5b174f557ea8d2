#if Server
import AtomicFiles
import Console
import SafeServer
import SafeStore
import SafeWire

/// The backups that a server serves. No other server can use the directory while this value exists.
struct OpenedStore {
    /// Who answers the requests.
    let answering: any SafeAnswering
    /// From the document `config`.
    let limits: ServerLimits
    /// Deletes what a sweep decides to delete.
    let expire: @Sendable (Sweep) throws(StoreError) -> SweepReport
    /// The accounts; nil if there are none, and everybody may use the server.
    let accounts: [AccountName]?
    private let lock: HeldLock

    fileprivate static let lockName = "server.lock"

    /// Prepares a directory that is missing or empty, and opens it.
    /// - Throws: `FileError`, among others `.locked` if another server uses it; `ServerLimitsError`.
    static func open(_ path: String, keepsPrevious: Bool, throttle: Throttle) throws -> OpenedStore {
        try FolderStore.prepare(at: path, limits: .standard)
        let lock = try HeldLock(path)
        let limits = try ServerLimits(preparedAt: path)
        let responder = try ServerResponder(
            at: path, limits: limits, keepsPrevious: keepsPrevious, throttle: throttle)
        return OpenedStore(
            answering: responder, limits: limits, expire: responder.expire, accounts: try responder.accountNames(),
            lock: lock)
    }

    /// A lock that is held while a copy of this exists.
    private final class HeldLock: Sendable {
        private let lock: FileLock

        init(_ path: String) throws(FileError) {
            let directory = try Directory.open(path, rule: .shared)
            lock = try directory.lock(OpenedStore.lockName, wait: .zero)
        }
    }
}
#endif
