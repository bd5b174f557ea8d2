/// When a server closes the connection of a silent client.
///
/// Times are on a clock that never goes back.
struct IdleTimer: Equatable, Sendable {
    /// The time-out until the client asks for another one.
    static let standard = Duration.seconds(300)

    private var timeout: Duration
    private var last: Duration

    /// - Parameters:
    ///   - now: the time of the login.
    ///   - timeout: until the client asks for another one.
    init(at now: Duration, timeout: Duration = Self.standard) {
        last = now
        self.timeout = timeout
    }

    /// Notes a payload of the client. `.idleTimeout` changes the time-out.
    mutating func received(_ payload: ChatPayload, at now: Duration) {
        last = now
        if case .idleTimeout(let seconds) = payload { timeout = .seconds(Int64(seconds)) }
    }

    /// Notes a message of the client.
    mutating func receivedMessage(at now: Duration) { last = now }

    /// When the connection is to be closed.
    var deadline: Duration { last + timeout }
}
