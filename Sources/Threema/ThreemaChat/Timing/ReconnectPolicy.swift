/// Whether a client connects again, and how long it waits before.
public struct ReconnectPolicy: Equatable, Sendable {
    /// What to do after a connection has ended.
    public enum Decision: Equatable, Sendable {
        /// Do not connect again unless the user wants it.
        case never
        /// Connect again after this time.
        case wait(Duration)
    }

    /// The wait after the first failure.
    public static let base = Duration.seconds(2)
    /// The longest wait, and each one after a refused log-in.
    public static let limit = Duration.seconds(10)

    /// Failures since the last login.
    public private(set) var failures = 0

    /// After a login, or at the start.
    public init() {}

    /// Notes a failed or lost connection.
    /// - Parameter jitter: a random number in 0...1, so that the clients of a restarted server do not return together.
    /// - Returns: `.never` if the server permits no return, if it is another server, or if this side has stopped;
    ///   10 seconds after a refused log-in; otherwise 2, 4, 8, 10, 10, … seconds. At a jitter of 1 it is half of the
    ///   time.
    public mutating func next(after end: ConnectionEnd, jitter: Double) -> Decision {
        precondition((0...1).contains(jitter))
        // Beyond that the limit holds anyway.
        let doublings = min(failures, 8)
        failures += 1
        let full: Duration
        switch end {
        case .closedByServer(mayReconnect: false), .wrongServer, .stopped: return .never
        // A login has begun the count again, and what is refused will come again.
        case .loginRefused, .refusedBytes: full = Self.limit
        case .network, .noEcho, .closedByServer(mayReconnect: true):
            full = min(Self.base * (1 << doublings), Self.limit)
        }
        return .wait(full * (1 - jitter / 2))
    }

    /// Notes a login: the next wait is a short one again.
    public mutating func loggedIn() { failures = 0 }
}
