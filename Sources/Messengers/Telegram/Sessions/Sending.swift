public import SecureMemory

extension LegacyMTProto1.Session {
    /// A packet to send, and the messages in it.
    public struct Sealed: Equatable, Sendable {
        /// The encrypted packet, as it is sent.
        public let packet: [UInt8]
        /// The message, or the container.
        public let message: LegacyMTProto1.Message
        /// The messages in the container; empty for a message without one.
        public let members: [LegacyMTProto1.Message]
    }

    /// Whether a server's message answers one. The ID says so; that of a client says nothing.
    public enum Occasion: Sendable {
        case unasked
        case reply
    }

    /// What a container is made of.
    public enum Part: Equatable, Sendable {
        /// A message, which gets an ID and a number.
        case new([UInt8], isContent: Bool)
        /// A message of this session that is sent again, with its ID and its number.
        case again(LegacyMTProto1.Message)

        var data: [UInt8] {
            switch self {
            case .new(let data, _): data
            case .again(let message): message.data
            }
        }
    }

    /// Seals a message under the old version. To send a message again, seal it again, or put it into a container.
    /// - Parameters:
    ///   - isContent: whether the receiver has to acknowledge it. Acknowledgements are not content.
    ///   - occasion: for a server, whether it answers a message.
    ///   - random: draws the padding, up to 15 bytes.
    /// - Throws: `SendingError`. Then nothing has changed.
    public mutating func seal(
        _ data: [UInt8], isContent: Bool, as occasion: Occasion = .unasked, key: borrowing AuthorizationKey,
        now: MessageTime, random: (Int) -> [UInt8] = Random.bytes
    ) throws(SendingError) -> Sealed {
        var next = self
        let message = try next.number(data, isContent: isContent, as: occasion, now)
        return try commit(next, message, [], key, random)
    }

    /// Seals several messages in one packet.
    /// - Parameter parts: 1 to `Container.maxMessages`. None of them is a container: receivers refuse one in another.
    /// - Throws: `SendingError`. Then nothing has changed.
    public mutating func sealContainer(
        _ parts: [Part], as occasion: Occasion = .unasked, key: borrowing AuthorizationKey, now: MessageTime,
        random: (Int) -> [UInt8] = Random.bytes
    ) throws(SendingError) -> Sealed {
        guard parts.count <= LegacyMTProto1.Container.maxMessages else {
            throw .tooMany(limit: LegacyMTProto1.Container.maxMessages)
        }
        guard !parts.isEmpty else { throw .empty }
        guard !parts.contains(where: { LegacyMTProto1.Container.isContainer($0.data) }) else { throw .nested }
        // Before anything is copied.
        guard LegacyMTProto1.Container.encodedCount(parts.map(\.data)) <= LegacyMTProto1.Packet.maxDataCount else {
            throw .tooLong
        }
        var next = self
        var members: [LegacyMTProto1.Message] = []
        for part in parts {
            switch part {
            case .new(let data, let isContent):
                members.append(try next.number(data, isContent: isContent, as: occasion, now))
            case .again(let message):
                // A container is made after its members.
                guard let lastID, message.id <= lastID, message.sequence < 2 * contentCount + 1 else {
                    throw .notOfThisSession(message.id)
                }
                members.append(message)
            }
        }
        let container = try next.number(
            LegacyMTProto1.Container.encode(members), isContent: false, as: occasion, now)
        return try commit(next, container, members, key, random)
    }

    private mutating func commit(
        _ next: Self, _ message: LegacyMTProto1.Message, _ members: [LegacyMTProto1.Message],
        _ key: borrowing AuthorizationKey, _ random: (Int) -> [UInt8]
    ) throws(SendingError) -> Sealed {
        guard key.id == keyID else { throw .otherKey(key.id) }
        let content = LegacyMTProto1.Content(salt: salts.current, session: id, message: message)
        let packet: [UInt8]
        do {
            packet = try LegacyMTProto1.Packet.seal(content, key: key, sending, random: random)
        } catch {
            throw .tooLong
        }
        self = next
        return Sealed(packet: packet, message: message, members: members)
    }

    /// Gives a message its ID and its number.
    mutating func number(
        _ data: [UInt8], isContent: Bool, as occasion: Occasion, _ now: MessageTime
    ) throws(SendingError) -> LegacyMTProto1.Message {
        let kind: MessageID.Kind = role == .client ? .client : occasion == .reply ? .serverReply : .server
        var id = MessageID(now, kind)
        // The clock may stand still, or be set back.
        if let lastID, id <= lastID {
            guard let next = lastID.next(kind) else { throw .noMoreIDs }
            id = next
        }
        if role == .client, id.hasEmptyFraction {
            guard let next = id.next(kind) else { throw .noMoreIDs }
            id = next
        }
        guard !isContent || contentCount < Self.maxContentCount else { throw .noMoreNumbers }
        let sequence = 2 * contentCount + (isContent ? 1 : 0)
        if isContent { contentCount += 1 }
        lastID = id
        return LegacyMTProto1.Message(id: id, sequence: sequence, data: data)
    }
}

/// Why a message was not sealed.
public enum SendingError: Error, Equatable, Sendable {
    /// The session has another key than this one.
    case otherKey(KeyID)
    /// The data is longer than a packet may be.
    case tooLong
    /// A container may have at most `limit` messages.
    case tooMany(limit: Int)
    /// A container needs a message.
    case empty
    /// A message for a container is one itself, or begins like one.
    case nested
    /// A message to send again was not sent in this session.
    case notOfThisSession(MessageID)
    /// The IDs end in 2106. A clock that was ahead has used them: begin another session.
    case noMoreIDs
    /// The session has sent a billion content messages: begin another one.
    case noMoreNumbers
}
