public import Encodings
public import SophaxChat

/// When to close a connection of the mesh. It has no clock: tell it what has come, `check` when `deadline` is over, and
/// close the connection if it throws.
public struct ConnectionRules: Equatable, Sendable {
    /// The first frame, which is a hello, has to come in this time.
    public static let helloTimeout: Duration = .seconds(10)
    /// A connection without a complete frame in this time is closed. Parts of a frame do not count.
    public static let idleTimeout: Duration = .seconds(120)

    /// Why the connection is to be closed.
    public enum Closing: Error, Equatable, Sendable {
        /// No frame within 10 seconds.
        case noHello
        /// The first frame is no hello, or one that was refused.
        case notHello
        /// No frame within 120 seconds.
        case idle
        /// More than 20 messages within 10 seconds were malformed or forged.
        case tooManyRefused
    }

    private enum Phase: Equatable { case new, greeted, open }

    private var phase = Phase.new
    private var last: Timestamp
    private var refusals: TokenBucket

    /// A connection that was made now.
    public init(at now: Timestamp) {
        last = now
        refusals = TokenBucket(.refused, at: now)
    }

    /// The connection is closed at this time if nothing comes.
    public var deadline: Timestamp { last + (phase == .new ? Self.helloTimeout : Self.idleTimeout) }

    /// Compares with the deadline. A clock that went back closes nothing, and the time-out begins again.
    /// - Throws: `.noHello`, `.idle`.
    public mutating func check(at now: Timestamp) throws(Closing) {
        last = min(last, now)
        guard now < deadline else { throw phase == .new ? .noHello : .idle }
    }

    /// Notes a complete frame, before its message is admitted.
    /// - Parameter kind: nil if the frame has no message of a known kind.
    /// - Throws: `.noHello`, `.idle`, `.notHello`.
    public mutating func receive(_ kind: WireMessage.Kind?, at now: Timestamp) throws(Closing) {
        try check(at: now)
        guard phase != .new || kind == .hello else { throw .notHello }
        phase = phase == .new ? .greeted : .open
        last = now
    }

    /// Notes that the last message of the connection was refused, by `WireMessage` or `WireGate`. Not one that came
    /// inside another one: who carries it cannot verify it.
    ///
    /// A forged message costs the verification of a signature, and `WireGate` counts it against nobody, because its
    /// sender's name is not proved: so it counts against the connection. What an honest neighbour may send does not
    /// count: what it got from others, which came here already or is for somebody else, or what a newer app sends.
    /// - Throws: `.notHello`, `.tooManyRefused`.
    public mutating func refuse(_ reason: WireError, at now: Timestamp) throws(Closing) {
        guard phase == .open else { throw .notHello }
        guard reason.isForgery else { return }
        guard refusals.take(at: now) else { throw .tooManyRefused }
    }
}

extension WireError {
    /// Whether no honest program sends a message like that.
    fileprivate var isForgery: Bool {
        switch self {
        case .malformed, .badSignature, .wrongSender: true
        case .unknownType, .rateLimited, .lowerVersion, .wrongRecipient, .replayed, .unknownSender, .nestedSeal: false
        }
    }
}
