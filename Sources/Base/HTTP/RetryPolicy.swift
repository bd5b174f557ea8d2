internal import SecureMemory
internal import Synchronization

/// When something is tried again, and for how long in all. A command has one policy for all its requests; each server
/// has the whole time, so that one that does not answer takes nothing from another.
///
/// The wait is as long as the server asked, else a random part of 2, 4, 8 and 16 seconds, so that many clients do not
/// come back at once.
package final class RetryPolicy: Sendable {
    static let maxTries = 5
    /// A server that asks to wait is never asked again at once.
    static let shortestAskedWait = Duration.seconds(1)

    private let total: Duration
    private let longestWait: Duration
    /// By the servers' names. Set by the first request: what came before was not the server's doing.
    private let deadlines = Mutex<[String: ContinuousClock.Instant]>([:])
    private let sleep: @Sendable (Duration) -> Void

    /// - Parameters:
    ///   - total: for all tries of a command at one server, from the first one on.
    ///   - longestWait: a server that asks for more is not waited for.
    ///   - sleep: waits; given by tests.
    package init(total: Duration, longestWait: Duration, sleep: @escaping @Sendable (Duration) -> Void) {
        self.total = total
        self.longestWait = longestWait
        self.sleep = sleep
    }

    private func end(at server: String) -> ContinuousClock.Instant {
        deadlines.withLock { deadlines in
            let end = deadlines[server] ?? .now + total
            deadlines[server] = end
            return end
        }
    }

    /// Waits after a failure.
    /// - Parameter tries: that were made, from 1.
    /// - Returns: false if there is to be no further try.
    package func waits(after tries: Int, at server: String) -> Bool {
        guard tries < Self.maxTries else { return false }
        return waits(for: Self.randomDelay(after: tries), at: server)
    }

    /// Waits because the server asked to.
    /// - Parameters:
    ///   - tries: that were made, from 1.
    ///   - seconds: for which the server asked; nil if it did not say.
    /// - Returns: false if there is to be no further try.
    package func waits(after tries: Int, at server: String, asked seconds: Int?) -> Bool {
        guard tries < Self.maxTries else { return false }
        let delay = seconds.map { .seconds($0) } ?? Self.randomDelay(after: tries)
        guard delay <= longestWait else { return false }
        return waits(for: max(delay, Self.shortestAskedWait), at: server)
    }

    private static func randomDelay(after tries: Int) -> Duration {
        .milliseconds(Random.number(below: UInt32(1000) << UInt32(tries)))
    }

    private func waits(for delay: Duration, at server: String) -> Bool {
        guard .now + delay < end(at: server) else { return false }
        sleep(delay)
        return true
    }

    /// What is left of the time for all tries, at most `longest`.
    package func timeout(atMost longest: Duration, at server: String) -> Duration {
        // To libcurl, no time is no limit.
        max(.milliseconds(1), min(longest, end(at: server) - .now))
    }
}
