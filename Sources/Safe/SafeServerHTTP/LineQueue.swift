#if Server
internal import Glibc
internal import NIOPosix
internal import Synchronization

/// Lines that one thread writes, so that a reader who is slow or gone stops only that thread. The number of lines that
/// wait is bounded; lines beyond it are dropped, counted, and reported as soon as a line is written again.
package final class LineQueue: Sendable {
    private struct State {
        var waiting = 0
        var dropped = 0

        mutating func takeDropped() -> Int {
            defer { dropped = 0 }
            return dropped
        }
    }

    private let thread = NIOThreadPool(numberOfThreads: 1)
    private let state = Mutex(State())
    private let write: @Sendable (String) -> Void
    private let report: @Sendable (Int) -> String

    /// Most lines that wait. Each has fewer than 200 bytes.
    private static let capacity = 1024

    /// - Parameters:
    ///   - report: the line that says how many lines were dropped.
    ///   - write: writes one line; it may block.
    package init(report: @escaping @Sendable (Int) -> String, write: @escaping @Sendable (String) -> Void) {
        self.report = report
        self.write = write
        thread.start()
    }

    /// Has a line written after those that wait, or drops it. Never blocks.
    package func add(_ line: String) {
        let lost: Int? = state.withLock { state in
            guard state.waiting < Self.capacity else {
                state.dropped += 1
                return nil
            }
            state.waiting += 1
            return state.takeDropped()
        }
        guard let lost else { return }
        thread.submit { _ in
            self.say(lost)
            self.write(line)
            // The last one reports what nobody else will.
            self.say(self.state.withLock { $0.waiting == 1 ? $0.takeDropped() : 0 })
            self.state.withLock { $0.waiting -= 1 }
        }
    }

    private func say(_ lost: Int) {
        if lost > 0 { write(report(lost)) }
    }

    /// Waits until all lines are written.
    /// - Parameter time: how long at most.
    package func flush(within time: Duration) {
        let end = ContinuousClock.now + time
        while state.withLock({ $0.waiting > 0 }), ContinuousClock.now < end { usleep(5_000) }
    }
}
#endif
