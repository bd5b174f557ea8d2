#if Server
import Console
import Encodings
import SafeServerHTTP
import SafeStore
import Synchronization

/// The sweep at the start of a server and each day.
final class Sweeping: Sendable {
    static let interval = Duration.days(1)

    private let expire: @Sendable (Sweep) throws(StoreError) -> SweepReport
    private let retentionDays: Int
    private let keepPrevious: Duration
    private let metrics: Metrics
    private let log: ServerLog
    private let last = Mutex<ClockReading?>(nil)

    init(
        retentionDays: Int, keepPrevious: Duration, metrics: Metrics, log: ServerLog,
        expire: @escaping @Sendable (Sweep) throws(StoreError) -> SweepReport
    ) {
        self.expire = expire
        self.retentionDays = retentionDays
        self.keepPrevious = keepPrevious
        self.metrics = metrics
        self.log = log
    }

    /// Sweeps, and says what it did. A failure is said, too; the next sweep tries again.
    func run() {
        let now = Clocks.now()
        let last = last.withLock { last in
            defer { last = now }
            return last
        }
        let sweep = Sweep(retentionDays: retentionDays, keepPrevious: keepPrevious, now: now, last: last)
        do throws(StoreError) {
            let report = try expire(sweep)
            metrics.count(report, at: now)
            tell(report)
        } catch {
            metrics.count(nil, at: now)
            log.say("warning: the sweep of old backups failed: \(error.cause)")
        }
    }

    private func tell(_ report: SweepReport) {
        if let warning = report.counts.warning { log.say("warning: " + warning) }
        if let suspicion = report.suspicion {
            log.say("warning: the sweep of old backups deleted nothing: \(suspicion.sentence)")
        } else if report.deleted != SweepDeletions() {
            log.say(
                "the sweep deleted \(report.deleted.expired) of \(report.counts.total) backups and "
                    + "\(report.deleted.previous) previous ones")
        }
    }
}

/// The only clocks of the server.
enum Clocks {
    @Sendable static func now() -> ClockReading {
        ClockReading(wall: WallClock.now(), monotonic: MonotonicClock.withSleep())
    }
}
#endif
