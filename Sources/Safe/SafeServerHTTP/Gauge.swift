#if Server
internal import Glibc
internal import NIOPosix
internal import Synchronization

/// A figure of the store, measured on a thread of its own, so that a store that hangs keeps nobody who asks.
package final class Gauge<Figure: Sendable>: Sendable {
    private struct State {
        var last: Figure?
        var isMeasuring = false
        /// When the last figure has become too old.
        var end: ContinuousClock.Instant?
    }

    private let interval: Duration
    private let measure: @Sendable () -> Figure
    private let thread = NIOThreadPool(numberOfThreads: 1)
    private let state = Mutex(State())

    /// How long a caller waits for a new figure.
    private static var timeout: Duration { .seconds(1) }

    /// - Parameters:
    ///   - interval: for so long a figure is good.
    ///   - measure: called on the thread; it may block.
    package init(every interval: Duration = .zero, _ measure: @escaping @Sendable () -> Figure) {
        self.interval = interval
        self.measure = measure
        thread.start()
    }

    /// A new figure, or the last one if it is good or if a new one takes longer than a second.
    /// - Returns: nil before the first one.
    package func read() -> Figure? {
        let now = ContinuousClock.now
        let isDue = state.withLock { state in
            guard !state.isMeasuring, state.end.map({ $0 <= now }) ?? true else { return false }
            state.isMeasuring = true
            return true
        }
        if isDue { thread.submit { if $0 == .active { self.run() } } }
        while state.withLock(\.isMeasuring), ContinuousClock.now < now + Self.timeout { usleep(2_000) }
        return state.withLock(\.last)
    }

    private func run() {
        let figure = measure()
        state.withLock { $0 = State(last: figure, end: ContinuousClock.now + interval) }
    }
}
#endif
