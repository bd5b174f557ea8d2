/// What stands beside a message's body: on which chain it is, and its place there.
public struct RatchetHeader: Equatable, Sendable {
    /// The sender's ratchet key, 32 bytes.
    public let ratchetKey: [UInt8]
    /// How many messages the sender has sent on its former chain.
    public let previousCount: UInt32
    /// The number of the message on its chain, from 0.
    public let number: UInt32

    /// All values are checked where they are used.
    public init(ratchetKey: [UInt8], previousCount: UInt32, number: UInt32) {
        self.ratchetKey = ratchetKey
        self.previousCount = previousCount
        self.number = number
    }
}

/// The header of a received message, which is not authenticated yet.
public enum ReceivedHeader {
    /// Read from the message.
    case plain(RatchetHeader)
    /// Encrypted: the closure opens it with one of the session's header keys, 32 bytes, or returns nil if it is not
    /// under that key. It is called for the current key first, then for the next one, then for former ones.
    case sealed((HeldKey) -> RatchetHeader?)
}
