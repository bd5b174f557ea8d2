/// The life of an HTTP/2 connection after its handshake. It reads no clock and closes nothing: `HTTP2Idle` does what it
/// says. Each state has a deadline, so whatever a client sends, its connection ends, or rests and may be displaced.
///
///     new       no request has begun        headTime      then it says goodbye
///     busy      requests are under way      requestTime   then it is closed; each of them has its own deadlines before
///     resting   between two requests        idleTime      then it says goodbye
///     leaving   has said goodbye            lingerTime    then it is closed, unless requests are under way
///     closed
struct ConnectionLife {
    enum State: Equatable, CaseIterable {
        case new, busy, resting, leaving, closed
    }

    /// What to do at a deadline.
    enum End: Equatable {
        case goodbye(ConnectionEnd)
        case close(ConnectionEnd?)
    }

    private(set) var state = State.new
    private var isLeaving = false
    /// Requests that have begun and not ended.
    private(set) var requests = 0

    /// A request begins.
    mutating func begin() {
        guard state != .closed else { return }
        requests += 1
        state = .busy
    }

    /// A request ends. One that has not begun changes nothing.
    /// - Returns: whether it was the last one.
    mutating func end() -> Bool {
        guard state == .busy else { return false }
        requests -= 1
        guard requests == 0 else { return false }
        state = isLeaving ? .leaving : .resting
        return true
    }

    /// The deadline of the present state has come.
    /// - Returns: nil after the end.
    mutating func expire() -> End? {
        switch state {
        case .new, .resting:
            let end = state == .new ? ConnectionEnd.slow : .idle
            isLeaving = true
            state = .leaving
            return .goodbye(end)
        case .busy:
            close()
            return .close(.slow)
        case .leaving:
            close()
            return .close(nil)
        case .closed: return nil
        }
    }

    /// The connection was closed.
    mutating func close() {
        state = .closed
        requests = 0
    }

    /// How long the present state may last; nil after the end.
    func time(_ limits: ListenerLimits) -> Duration? {
        switch state {
        case .new: limits.headTime
        case .busy: limits.requestTime
        case .resting: limits.idleTime
        case .leaving: limits.lingerTime
        case .closed: nil
        }
    }
}
