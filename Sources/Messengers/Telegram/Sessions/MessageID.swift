/// Names a message in its session. It tells when the message was made, and by which side.
///
/// It is about the Unix time times 2^32; the lowest two bits tell the kind.
public struct MessageID: Hashable, Comparable, Sendable {
    /// What the lowest two bits say.
    public enum Kind: UInt64, Sendable, CaseIterable {
        /// Of a client.
        case client = 0
        /// Of a server, in reply to a client's message.
        case serverReply = 1
        /// Any other one of a server.
        case server = 3
    }

    /// The 64 bits as an unsigned number, by which IDs are ordered.
    public let number: UInt64

    private static let kindBits: UInt64 = 3

    /// Any number is an ID.
    public init(_ number: UInt64) { self.number = number }

    /// The ID of a message that is made at this time.
    public init(_ time: MessageTime, _ kind: Kind) { number = time.number & ~Self.kindBits | kind.rawValue }

    /// The time without its lowest two bits, which are a billionth of a second.
    public var time: MessageTime { MessageTime(number: number & ~Self.kindBits) }

    /// Whether it can be of a client: it is even.
    public var isFromClient: Bool { number & 1 == 0 }

    /// Whether the fraction of the time is missing. The server may ignore such messages of a client.
    public var hasEmptyFraction: Bool { number & 0xffff_ffff == 0 }

    /// The next greater ID of a kind; nil after the last one.
    func next(_ kind: Kind) -> MessageID? {
        let (next, isOver) = time.number.addingReportingOverflow(4)
        return isOver ? nil : MessageID(next | kind.rawValue)
    }

    /// Whether `left` was made before `right`.
    public static func < (left: MessageID, right: MessageID) -> Bool { left.number < right.number }
}

/// A point in time as message IDs have it: Unix time in units of 2^-32 seconds, until 2106.
public struct MessageTime: Hashable, Comparable, Sendable {
    /// The time times 2^32, rounded down.
    public let number: UInt64

    /// - Parameter number: the time times 2^32.
    public init(number: UInt64) { self.number = number }

    /// - Parameter nanoseconds: below 1,000,000,000.
    public init(seconds: UInt32, nanoseconds: UInt32 = 0) {
        precondition(nanoseconds < 1_000_000_000)
        number = UInt64(seconds) << 32 | (UInt64(nanoseconds) << 32) / 1_000_000_000
    }

    /// Whether `left` is earlier than `right`.
    public static func < (left: MessageTime, right: MessageTime) -> Bool { left.number < right.number }
}

/// Whether a message is of the present: at most 300 seconds old, and at most 30 seconds ahead. Fractions count.
public enum TimeWindow {
    /// Greatest age in seconds; this age is accepted.
    public static let maxAge: UInt64 = 300
    /// Greatest lead in seconds; this lead is accepted.
    public static let maxLead: UInt64 = 30

    /// Whether a time is within the window, before it or behind it.
    public enum Place: Equatable, Sendable {
        case inside
        case tooOld
        case tooNew
    }

    /// Where a message is that was made at `time`, if it is received at `now`.
    public static func place(of time: MessageTime, at now: MessageTime) -> Place {
        if time <= now { return now.number - time.number <= maxAge << 32 ? .inside : .tooOld }
        return time.number - now.number <= maxLead << 32 ? .inside : .tooNew
    }
}
