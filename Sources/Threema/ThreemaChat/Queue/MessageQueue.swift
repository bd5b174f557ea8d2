public import ThreemaMessages

/// The messages that a server keeps for one identity, in memory: what the flags of a message mean for a server.
///
/// A message is kept until the receiver acknowledges it. With `.shortLived` it is dropped after 60 seconds, with
/// `.noServerQueue` it is not kept, and with `.noServerAcknowledgement` it is delivered once.
public struct MessageQueue: Sendable {
    /// How long a short-lived message is kept.
    public static let shortLife = Duration.seconds(60)

    private struct Entry: Sendable {
        let message: MessagePayload
        let arrival: Duration
        var name: ChatAcknowledgement { ChatAcknowledgement(message.sender, message.id) }
    }

    private var entries: [Entry] = []

    /// A queue without messages.
    public init() {}

    /// How many messages are kept, with those that are too old.
    public var count: Int { entries.count }

    /// Whether the server acknowledges this message to its sender, and expects an acknowledgement of the receiver.
    public static func isAcknowledged(_ message: MessagePayload) -> Bool {
        !message.flags.contains(.noServerAcknowledgement)
    }

    /// Takes a message.
    /// - Parameters:
    ///   - now: on a clock that never goes back.
    ///   - isConnected: whether the receiver is connected.
    /// - Returns: what to deliver now: the message if the receiver is connected. A message that is kept already, by
    ///   sender and ID, is neither kept nor delivered again.
    public mutating func add(_ message: MessagePayload, at now: Duration, isConnected: Bool) -> MessagePayload? {
        let entry = Entry(message: message, arrival: now)
        guard !entries.contains(where: { $0.name == entry.name }) else { return nil }
        let isDone = isConnected && !Self.isAcknowledged(message)
        if !isDone, !message.flags.contains(.noServerQueue) { entries.append(entry) }
        return isConnected ? message : nil
    }

    /// The messages for a receiver that has just connected, the oldest first. Those that are too old are dropped, and
    /// those that nobody acknowledges are not kept any longer.
    /// - Parameter now: on the clock of `add`.
    public mutating func deliver(at now: Duration) -> [MessagePayload] {
        entries.removeAll { $0.message.flags.contains(.shortLived) && now - $0.arrival >= Self.shortLife }
        let messages = entries.map(\.message)
        entries.removeAll { !Self.isAcknowledged($0.message) }
        return messages
    }

    /// Drops a message that the receiver has.
    /// - Returns: false if it is not kept.
    @discardableResult
    public mutating func acknowledge(_ named: ChatAcknowledgement) -> Bool {
        // Receivers acknowledge in the order of delivery, so this is nearly always the first one.
        guard let index = entries.firstIndex(where: { $0.name == named }) else { return false }
        entries.remove(at: index)
        return true
    }
}
