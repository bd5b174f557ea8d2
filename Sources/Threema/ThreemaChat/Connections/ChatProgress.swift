/// What became of arrived bytes.
public struct ChatProgress<Event: Equatable & Sendable>: Equatable, Sendable {
    /// In the order of arrival.
    public internal(set) var events: [Event] = []
    /// Send this to the other side, also after a failure.
    public internal(set) var toSend: [UInt8] = []
    /// Why the connection is over; nil if it is not. The events before it count.
    public internal(set) var failure: ChatError?
}
