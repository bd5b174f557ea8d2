extension LegacyMTProto1 {
    /// One side of a session: what it needs to number its messages, and to refuse those that it must not accept.
    ///
    /// It is a value without keys. Store `encoded` in the transaction in which you store what a message has changed. If
    /// a session was lost, begin another one with a random ID: numbers must not be used again.
    public struct Session: Equatable, Sendable {
        /// The side of a session, which decides about IDs and checks.
        public enum Role: UInt8, Sendable { case client, server }

        /// The side that this program is.
        public let role: Role
        /// The authorization key of the session.
        public let keyID: KeyID
        /// The session's ID, which a client draws.
        public let id: UInt64
        /// The salts. A client needs the current one only.
        public var salts: ServerSalts
        /// The messages that were received.
        public internal(set) var received: ReplayWindow
        /// The last message that was sent.
        public internal(set) var lastID: MessageID?
        /// How many content messages were sent.
        public internal(set) var contentCount: UInt32 = 0

        /// Most content messages. The protocol has a sequence number, twice as large, as a signed number of 32 bits;
        /// one of a message without content must not be negative either.
        static let maxContentCount: UInt32 = 1 << 30 - 1

        /// Begins a session.
        /// - Parameters:
        ///   - id: 8 random bytes.
        ///   - salt: what the server has said when the key was created, or in the session before.
        ///   - capacity: how many received messages are stored, 1 to 65,536.
        public init(
            _ role: Role, key: borrowing AuthorizationKey, id: UInt64, salt: UInt64,
            capacity: Int = ReplayWindow.usualCapacity
        ) {
            self.init(
                role, keyID: key.id, id: id, salts: ServerSalts(salt), received: ReplayWindow(capacity: capacity))
        }

        init(_ role: Role, keyID: KeyID, id: UInt64, salts: ServerSalts, received: ReplayWindow) {
            (self.role, self.keyID, self.id) = (role, keyID, id)
            (self.salts, self.received) = (salts, received)
        }

        var sending: Direction { role == .client ? .fromClient : .fromServer }
        var receiving: Direction { role == .client ? .fromServer : .fromClient }
    }
}
