internal import SecureMemory
internal import Synchronization

/// Decides whether a request is tried again, and waits before it is. A command has one policy for all its requests.
/// Each server has the total time to itself, so that one that does not answer does not use up another's.
///
/// The wait is as long as the server asked. Otherwise it is a random part of 2, 4, 8 and 16 seconds, so that many
/// clients do not return at once.
package final class RetryPolicy: Sendable {
    static let maxTries = 5
    /// The shortest wait if a server asks to wait.
    static let shortestAskedWait = Duration.seconds(1)

    private let total: Duration
    private let longestWait: Duration
    private let repeatsSilence: Bool
    /// By server. The first request sets it, because time before that was not spent on the server.
    private let deadlines = Mutex<[String: ContinuousClock.Instant]>([:])
    private let announce: @Sendable (_ server: String, _ delay: Duration) -> Void
    private let sleep: @Sendable (Duration) -> Void

    /// - Parameters:
    ///   - total: total time for all tries at one server, from the first one on. Zero means one try, without a limit
    ///     other than that of its request.
    ///   - longestWait: if a server asks for more, it is not tried again.
    ///   - repeatsSilence: whether a server that did not answer in time, or whose name no name server resolved, is
    ///     tried again; false if a person waits for the first contact.
    ///   - announce: called before each wait, for the person who waits.
    ///   - sleep: lets this time pass. Tests replace it.
    package init(
        total: Duration, longestWait: Duration, repeatsSilence: Bool = true,
        announce: @escaping @Sendable (_ server: String, _ delay: Duration) -> Void = { _, _ in },
        sleep: @escaping @Sendable (Duration) -> Void
    ) {
        self.repeatsSilence = repeatsSilence
        self.total = total
        self.longestWait = longestWait
        self.announce = announce
        self.sleep = sleep
    }

    private func end(at server: String) -> ContinuousClock.Instant {
        deadlines.withLock { deadlines in
            let end = deadlines[server] ?? .now + total
            deadlines[server] = end
            return end
        }
    }

    /// Whether a request without an answer may be sent again.
    package func repeats(_ failure: ConnectionFailure) -> Bool {
        failure.isWorthRepeating && (repeatsSilence || !failure.isSilence)
    }

    /// Waits after a failure.
    /// - Parameter tries: number of tries so far, from 1.
    /// - Returns: false if there is to be no further try.
    package func waits(after tries: Int, at server: String) -> Bool {
        guard tries < Self.maxTries else { return false }
        return waits(for: Self.randomDelay(after: tries), at: server)
    }

    /// Waits because the server asked to.
    /// - Parameters:
    ///   - tries: number of tries so far, from 1.
    ///   - seconds: the wait that the server asked for; nil if it did not say.
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
        guard total > .zero, .now + delay < end(at: server) else { return false }
        announce(server, delay)
        sleep(delay)
        return true
    }

    /// The rest of the total time, at most `longest`; `longest` if there is one try only.
    package func timeout(atMost longest: Duration, at server: String) -> Duration {
        let rest = total > .zero ? end(at: server) - .now : longest
        // libcurl takes 0 for no limit.
        return max(.milliseconds(1), min(longest, rest))
    }
}
