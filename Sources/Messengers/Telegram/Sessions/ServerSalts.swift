/// The salts that a server accepts in a session: the current one, and the one before for 300 seconds.
public struct ServerSalts: Equatable, Sendable {
    /// How long the previous salt is accepted, in seconds; the last moment is included.
    public static let grace: UInt64 = 300

    /// The salt that messages of either side contain now.
    public private(set) var current: UInt64
    /// The one before, and when it was replaced.
    public private(set) var previous: Previous?

    /// A salt that was replaced.
    public struct Previous: Equatable, Sendable {
        /// The salt that was current before.
        public let salt: UInt64
        /// When it was replaced, by the server's clock. It is accepted `grace` seconds longer.
        public let end: MessageTime
    }

    /// The first salt of a session.
    public init(_ salt: UInt64) { current = salt }

    init(current: UInt64, previous: Previous?) { (self.current, self.previous) = (current, previous) }

    /// Replaces the salt. About every 24 hours a server does.
    public mutating func change(to salt: UInt64, at now: MessageTime) {
        guard salt != current else { return }
        previous = Previous(salt: current, end: now)
        current = salt
    }

    /// Whether a message with this salt is accepted.
    public func accepts(_ salt: UInt64, at now: MessageTime) -> Bool {
        if salt == current { return true }
        guard let previous, salt == previous.salt else { return false }
        // A clock that was set back does not end the grace.
        return now <= previous.end || now.number - previous.end.number <= Self.grace << 32
    }
}
