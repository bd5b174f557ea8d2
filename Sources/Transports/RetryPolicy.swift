internal import SecureMemory
internal import Synchronization

/// When a request is sent again: after what the server asked for, else after a random part of 2, 4, 8 and 16 seconds,
/// so that many clients do not come back at once. One for all requests of a command.
public final class RetryPolicy: Sendable {
    static let maxTries = 5
    /// A server that asks for a longer wait within a run is not waited for so long.
    static let longestWait = Duration.seconds(300)

    private let total: Duration
    /// Set by the first request: what came before was not the server's doing.
    private let deadline = Mutex<ContinuousClock.Instant?>(nil)
    private let sleep: @Sendable (Duration) -> Void

    /// - Parameters:
    ///   - total: for all tries of a command, from the first one on.
    ///   - sleep: waits; given by tests.
    public init(total: Duration, sleep: @escaping @Sendable (Duration) -> Void) {
        self.total = total
        self.sleep = sleep
    }

    private var end: ContinuousClock.Instant {
        deadline.withLock { deadline in
            let end = deadline ?? .now + total
            deadline = end
            return end
        }
    }

    /// Waits before another try.
    /// - Parameters:
    ///   - tries: that were made, from 1.
    ///   - seconds: for which the server asked.
    /// - Returns: false where there is to be none.
    func waits(after tries: Int, asked seconds: Int?) -> Bool {
        guard tries < Self.maxTries else { return false }
        let delay =
            seconds.map { min(.seconds(max($0, 0)), Self.longestWait) }
            ?? .milliseconds(Random.number(below: UInt32(1000) << UInt32(tries)))
        guard .now + delay < end else { return false }
        sleep(delay)
        return true
    }

    /// What is left of the time for all tries, at most `longest`.
    func patience(atMost longest: Duration) -> Duration {
        // To libcurl, no time is no limit.
        max(.milliseconds(1), min(longest, end - .now))
    }
}
