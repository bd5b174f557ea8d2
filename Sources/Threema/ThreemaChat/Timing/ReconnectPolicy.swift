/// How long a client waits before it connects again.
public struct ReconnectPolicy: Equatable, Sendable {
    /// The wait after the first failure.
    public static let base = Duration.seconds(2)
    /// The longest wait.
    public static let limit = Duration.seconds(10)

    /// Failures since the last login.
    public private(set) var failures = 0

    /// After a login, or at the start.
    public init() {}

    /// Notes a failed or lost connection.
    /// - Parameter jitter: a random number in 0...1, so that the clients of a restarted server do not return together.
    /// - Returns: 2, 4, 8, 10, 10, … seconds; at a jitter of 1 half of it.
    public mutating func wait(jitter: Double) -> Duration {
        precondition((0...1).contains(jitter))
        // Beyond that the limit holds anyway.
        let doublings = min(failures, 8)
        failures += 1
        return min(Self.base * (1 << doublings), Self.limit) * (1 - jitter / 2)
    }

    /// Notes a login.
    public mutating func loggedIn() { failures = 0 }
}
