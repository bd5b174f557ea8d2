internal import Glibc
public import SafeStore
internal import Synchronization

/// A request whose login has to be compared first. No thread waits for that.
public struct PendingLogin: Sendable {
    private let decision: LoginDecision
    private let proceed: @Sendable (LoginCheck.Answer, _ now: ClockReading) -> ExaminedRequest

    /// How long `wait` sleeps between two looks.
    private static let pause = Duration.milliseconds(2)

    init(
        _ decision: LoginDecision, proceed: @escaping @Sendable (LoginCheck.Answer, ClockReading) -> ExaminedRequest
    ) {
        self.decision = decision
        self.proceed = proceed
    }

    /// Calls `call` as soon as `finish` does not wait any more; at once if it does not wait now.
    /// - Parameter call: called once, on any thread. It must not block.
    public func whenDecided(_ call: @escaping @Sendable () -> Void) { decision.whenDecided { _ in call() } }

    /// Goes on with the request, as `SafeAnswering.examine`. It waits for the decision.
    public func finish(at now: ClockReading) -> ExaminedRequest {
        while true {
            if let answer = decision.answer { return proceed(answer, now) }
            usleep(UInt32(Self.pause / .microseconds(1)))
        }
    }
}

/// The answer to a login, which comes once.
final class LoginDecision: Sendable {
    private enum State {
        case open([@Sendable (LoginCheck.Answer) -> Void])
        case decided(LoginCheck.Answer)
    }

    private let state = Mutex(State.open([]))

    /// nil before it has come.
    var answer: LoginCheck.Answer? {
        state.withLock { if case .decided(let answer) = $0 { answer } else { nil } }
    }

    func decide(_ answer: LoginCheck.Answer) {
        let calls = state.withLock { state in
            defer { state = .decided(answer) }
            return if case .open(let calls) = state { calls } else { [@Sendable (LoginCheck.Answer) -> Void]() }
        }
        for call in calls { call(answer) }
    }

    func whenDecided(_ call: @escaping @Sendable (LoginCheck.Answer) -> Void) {
        let answer: LoginCheck.Answer? = state.withLock { state in
            switch state {
            case .decided(let answer): return answer
            case .open(let calls):
                state = .open(calls + [call])
                return nil
            }
        }
        if let answer { call(answer) }
    }
}
