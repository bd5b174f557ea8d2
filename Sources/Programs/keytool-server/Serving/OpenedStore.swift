#if Server
import AtomicFiles
import Console
import SafeObjectStore
import SafeServer
import SafeServerHTTP
import SafeStore
import SafeWire
import Synchronization

/// The backups that a server serves. No other server can use a directory while this value exists.
struct OpenedStore {
    /// Who answers the requests.
    let answering: any SafeAnswering
    /// The answer to `GET config`.
    let limits: ServerLimits
    private let delete: @Sendable (Sweep) throws(StoreError) -> SweepReport
    private let lastSweep = LastSweep()
    /// Throws if uploads cannot be stored now.
    let check: @Sendable () throws(StoreError) -> Void
    /// Free bytes of the store's file system; nil if that is not known.
    let freeBytes: Gauge<Int?>
    /// The backups of each account, nil if the accounts are not known; nil for a store that is not a directory.
    let sizes: (@Sendable () -> Measurements.Accounts?)?
    /// The accounts; nil if there are none, and everybody may use the server.
    let accounts: [AccountName]?
    /// Whether the directory was missing or empty.
    let isNew: Bool
    private let lock: HeldLock?

    fileprivate static let lockName = "server.lock"
    /// A directory is not ready if fewer uploads of the largest size have room.
    private static let spareUploads = 16

    /// Prepares a directory that is missing or empty, and opens it.
    /// - Throws: `FileError`, among others `.locked` if another server uses it.
    static func directory(
        _ path: String, keepPrevious: Duration, versions: VersionRule, throttle: Throttle, log: ServerLog
    ) throws -> OpenedStore {
        // Files of root would stop the server of the directory's account, or be out of its reach.
        try RootGuard.check(directory: path)
        let isNew = FileStatus("\(path)/config") == nil
        try StoreLocation.prepare(path)
        let lock = try HeldLock(path)
        let limits = try ServerLimits(preparedAt: path)
        let responder = try ServerResponder(
            at: path, limits: limits, keepsPrevious: keepPrevious > .zero, versions: versions, throttle: throttle,
            failed: log.write)
        guard try !responder.hasLostAccounts() else { throw LostAccounts(path: path) }
        do throws(FileError) { try responder.markAccounts() } catch {
            log.say(
                "warning: \(error.failure.message); if the files of the accounts are lost, the server will be open")
        }
        do { try ServerDirectory(at: path).storeKeepPrevious(keepPrevious) } catch {
            log.say(
                "warning: \(Failure(error).message); the command sweep does not know --keep-previous of this server")
        }
        warn(ofLines: try responder.badAccountLines(), of: "\(path)/logins", log)
        return OpenedStore(
            answering: responder, limits: limits, delete: responder.expire,
            check: { () throws(StoreError) in try responder.check(room: spareUploads * limits.maxBackupBytes) },
            freeBytes: { try? responder.freeBytes() },
            sizes: {
                (try? responder.accountSizes()).map { ($0.readable.map(Measurements.Account.init), $0.unreadable) }
            },
            accounts: try responder.accountNames(), isNew: isNew, lock: lock)
    }

    /// Creates the buckets that are missing. Several servers may share them.
    /// - Throws: `StoreError`.
    /// - Parameter logins: the file of accounts; nil for none.
    static func objects(
        _ connection: S3Connection, accounts logins: LoginsFile?, limits: ServerLimits, throttle: Throttle,
        log: ServerLog
    ) throws -> OpenedStore {
        guard let logins else {
            try prepare(connection, log)
            return OpenedStore(
                S3Store(on: connection, limits: limits), limits, throttle, log, check: connection.check)
        }
        let responder = AccountResponder(logins, limits: limits, throttle: throttle, failed: log.write) {
            account, authorize in
            S3Store(on: connection, limits: limits, account: account, authorize: authorize)
        }
        // Nobody could log in: the operator has to know before the first client does.
        guard try logins.version() != nil else { throw FileError.missing(path: logins.path) }
        warn(ofLines: try responder.badAccountLines(), of: logins.path, log)
        try prepare(connection, log)
        return OpenedStore(
            answering: responder, limits: limits, delete: responder.expire,
            check: { () throws(StoreError) in
                try responder.check()
                try connection.check()
            }, accounts: try responder.accountNames())
    }

    private static func warn(ofLines lines: [Int], of path: String, _ log: ServerLog) {
        for line in lines { log.say("warning: line \(line) of \(path) is not an account, and is ignored") }
    }

    private static func prepare(_ connection: S3Connection, _ log: ServerLog) throws(StoreError) {
        try connection.prepare()
        let risk = "two servers can both store one backup as the first"
        switch try connection.tryConditions() {
        case .honoured: break
        case .ignored: log.say("warning: the object store ignores If-None-Match: \(risk)")
        case .unknown(let reason):
            log.say("warning: it is not known whether the object store honours If-None-Match (\(reason)): \(risk)")
        }
    }

    /// Empty, and lost when the process ends.
    static func memory(limits: ServerLimits, throttle: Throttle, log: ServerLog) -> OpenedStore {
        OpenedStore(MemoryStore(), limits, throttle, log, check: {})
    }

    private init(
        answering: any SafeAnswering, limits: ServerLimits,
        delete: @escaping @Sendable (Sweep) throws(StoreError) -> SweepReport,
        check: @escaping @Sendable () throws(StoreError) -> Void, freeBytes: @escaping @Sendable () -> Int? = { nil },
        sizes: (@Sendable () -> Measurements.Accounts?)? = nil, accounts: [AccountName]?, isNew: Bool = false,
        lock: HeldLock? = nil
    ) {
        self.answering = answering
        self.limits = limits
        self.delete = delete
        self.check = check
        self.freeBytes = Gauge(freeBytes)
        self.sizes = sizes
        self.accounts = accounts
        self.isNew = isNew
        self.lock = lock
    }

    /// One store for everybody.
    private init(
        _ store: consuming some BackupStore, _ limits: ServerLimits, _ throttle: Throttle, _ log: ServerLog,
        check: @escaping @Sendable () throws(StoreError) -> Void
    ) {
        let responder = SafeResponder(store, limits: limits, throttle: throttle, failed: log.write)
        self.init(
            answering: responder, limits: limits, delete: responder.expire, check: check, accounts: nil)
    }

    /// Deletes what a sweep decides to delete.
    func expire(_ sweep: Sweep) throws(StoreError) -> SweepReport {
        let report = try delete(sweep)
        lastSweep.warning.withLock { $0 = report.counts.warning }
        return report
    }

    /// What `GET /ready` answers. What is wrong is said in the log, too.
    func readiness(_ log: ServerLog) -> Readiness {
        Readiness(silence: "the store does not answer") { [check, lastSweep] in
            do throws(StoreError) {
                try check()
                let warning = lastSweep.warning.withLock { $0 }
                return ReadinessReport(
                    isReady: true, text: ["ready", warning].compactMap(\.self).joined(separator: ", but "))
            } catch {
                log.write(notReady: error)
                return ReadinessReport(isReady: false, text: error.cause)
            }
        }
    }

    private final class LastSweep: Sendable {
        let warning = Mutex<String?>(nil)
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
