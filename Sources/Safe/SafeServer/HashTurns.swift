internal import Glibc
internal import Synchronization

/// Turns to compute the hash of a password, which costs 16 MiB and a processor: few at a time, a few more wait for a
/// while, and the others are told to come again. So logins that are wrong cannot stop those that are right for long,
/// nor take all threads of a listener.
package final class HashTurns: Sendable {
    /// Hashes at once.
    package static let standardCount = 2
    /// Threads that wait for a turn.
    package static let standardWaiters = 8
    /// How long they wait.
    package static let standardWait = Duration.seconds(5)
    /// How long to sleep between two tries.
    private static let pause = Duration.milliseconds(2)

    private struct State {
        var running = 0
        var waiting = 0
    }

    private let state = Mutex(State())
    private let count: Int
    private let waiters: Int
    private let wait: Duration

    /// - Parameters:
    ///   - count: hashes at once.
    ///   - waiters: threads that wait for a turn.
    ///   - wait: how long they wait.
    package init(
        count: Int = standardCount, waiters: Int = standardWaiters, wait: Duration = standardWait
    ) {
        self.count = count
        self.waiters = waiters
        self.wait = wait
    }

    /// Runs `body` in a turn.
    /// - Returns: nil if no turn came in time; then `body` was not run.
    @discardableResult
    func holding<Result>(_ body: () -> Result) -> Result? {
        guard begin() else { return nil }
        defer { state.withLock { $0.running -= 1 } }
        return body()
    }

    private func begin() -> Bool {
        let isWaiting: Bool? = state.withLock { state in
            if state.running < count, state.waiting == 0 {
                state.running += 1
                return false
            }
            guard state.waiting < waiters else { return nil }
            state.waiting += 1
            return true
        }
        guard let isWaiting else { return false }
        guard isWaiting else { return true }
        let deadline = ContinuousClock.now + wait
        while true {
            let isOver = ContinuousClock.now >= deadline
            let isDone: Bool? = state.withLock { state in
                if state.running < count {
                    state.running += 1
                    state.waiting -= 1
                    return true
                }
                if isOver { state.waiting -= 1 }
                return isOver ? false : nil
            }
            if let isDone { return isDone }
            usleep(UInt32(Self.pause / .microseconds(1)))
        }
    }
}
