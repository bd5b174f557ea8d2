#if Server
internal import NIOPosix
internal import SafeServer
internal import Synchronization

/// Answers `GET /ready`: asks the store on a thread of its own, so that all other threads may hang in it.
package final class Readiness: Sendable {
    private struct State {
        var decisions = ReadinessState()
        var waiting: [@Sendable (ReadinessReport) -> Void] = []
    }

    /// What is reported if the store does not answer in time.
    let silence: ReadinessReport
    private let check: @Sendable () -> ReadinessReport
    private let thread = NIOThreadPool(numberOfThreads: 1)
    private let state = Mutex(State())

    /// - Parameters:
    ///   - silence: one line, for a store that does not answer in time.
    ///   - check: asks the store; it may block.
    package init(silence: String, check: @escaping @Sendable () -> ReadinessReport) {
        self.silence = ReadinessReport(isReady: false, text: silence)
        self.check = check
        thread.start()
    }

    /// Reports whether the store is ready, on any thread. Callers wait `ReadinessState.timeout`, not longer.
    /// - Parameter clock: the monotonic one.
    func ask(by clock: @escaping @Sendable () -> Duration, _ report: @escaping @Sendable (ReadinessReport) -> Void) {
        let now = clock()
        let known: ReadinessReport? = state.withLock { state in
            switch state.decisions.decide(at: now) {
            case .known(let known): return known
            case .isSilent: return silence
            case .wait: break
            case .ask: thread.submit { if $0 == .active { self.run(clock) } }
            }
            state.waiting.append(report)
            return nil
        }
        if let known { report(known) }
    }

    private func run(_ clock: () -> Duration) {
        let report = check()
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.decisions.ended(report, at: clock())
            return state.waiting
        }
        for each in waiting { each(report) }
    }
}
#endif
