extension LegacyMTProto1.Session {
    /// What a packet has brought.
    public struct Received: Equatable, Sendable {
        /// The message, or the container.
        public let message: LegacyMTProto1.Message
        /// The accepted messages, in the order of the packet: the message itself, or those of the container.
        public let accepted: [LegacyMTProto1.Message]
        /// The messages of the container that are not accepted, and why.
        public let refused: [Refused]
    }

    /// A message of a container that is not accepted.
    public struct Refused: Equatable, Sendable {
        /// The ID of the message that is not accepted.
        public let id: MessageID
        /// Why it is not accepted.
        public let reason: Refusal
    }

    /// Opens a packet of the old version and checks it in this order:
    ///
    /// 1. length, 2. key, 3. message key, 4. session, 5. direction, 6. salt (for a server), 7. time, 8. repetition,
    /// 9. not below all stored IDs. Only then is its ID stored.
    ///
    /// - Parameters:
    ///   - key: the key of this session.
    ///   - trustsClock: whether a client knows that its clock is right; if not, check 7 is left out. A server has to
    ///     know. A message that repairs a client's salt or clock needs no right time.
    /// - Throws: `Refusal`. Then nothing has changed.
    public mutating func receive(
        _ packet: Span<UInt8>, key: borrowing AuthorizationKey, now: MessageTime, trustsClock: Bool = true
    ) throws(Refusal) -> Received {
        let content = try open(packet, key)
        guard content.session == id else { throw .wrongSession(content.session) }
        let message = content.message
        try checkDirection(message.id)
        guard role == .client || salts.accepts(content.salt, at: now) else { throw .badSalt }
        if role == .server || (trustsClock && !Self.isRepair(message)) {
            switch TimeWindow.place(of: message.id.time, at: now) {
            case .inside: break
            case .tooOld: throw .tooOld
            case .tooNew: throw .tooNew
            }
        }
        try Self.require(received.judge(message.id))
        guard LegacyMTProto1.Container.isContainer(message.data) else {
            _ = received.insert(message.id)
            return Received(message: message, accepted: [message], refused: [])
        }
        let members: [LegacyMTProto1.Message]
        do {
            members = try LegacyMTProto1.Container.decode(message)
        } catch {
            throw .container(error)
        }
        return receive(members, of: message)
    }

    /// Accepts the members of a container, and then the container: its ID is above theirs, so the members would be
    /// older than everything if it came first. In the same way the members come in the order of their IDs, because one
    /// that is sent again may stand behind a later one.
    ///
    /// Members have no check of time: one that is sent again has the ID of the first time.
    private mutating func receive(
        _ members: [LegacyMTProto1.Message], of container: LegacyMTProto1.Message
    ) -> Received {
        var reasons = [Refusal?](repeating: nil, count: members.count)
        let ascending = members.indices.sorted { (members[$0].id, $0) < (members[$1].id, $1) }
        for index in ascending {
            do throws(Refusal) {
                try checkDirection(members[index].id)
                try Self.require(received.insert(members[index].id))
            } catch {
                reasons[index] = error
            }
        }
        _ = received.insert(container.id)
        var accepted: [LegacyMTProto1.Message] = []
        var refused: [Refused] = []
        for (member, reason) in zip(members, reasons) {
            if let reason { refused.append(Refused(id: member.id, reason: reason)) } else { accepted.append(member) }
        }
        return Received(message: container, accepted: accepted, refused: refused)
    }

    private func open(
        _ packet: Span<UInt8>, _ key: borrowing AuthorizationKey
    ) throws(Refusal) -> LegacyMTProto1.Content {
        do throws(PacketError) {
            let actual = try LegacyMTProto1.Packet.keyID(of: packet)
            guard actual == keyID else { throw PacketError.unknownKey(actual) }
            return try LegacyMTProto1.Packet.open(packet, key: key, receiving)
        } catch {
            switch error {
            case .malformed, .tooLong: throw .malformed
            case .unknownKey(let id): throw .unknownKey(id)
            case .notAuthentic: throw .notAuthentic
            }
        }
    }

    private func checkDirection(_ id: MessageID) throws(Refusal) {
        guard id.isFromClient == (role == .server) else { throw .wrongDirection(id) }
    }

    private static func require(_ judgement: ReplayWindow.Judgement) throws(Refusal) {
        switch judgement {
        case .new: break
        case .duplicate: throw .duplicate
        case .olderThanWindow: throw .olderThanWindow
        }
    }

    private static func isRepair(_ message: LegacyMTProto1.Message) -> Bool {
        // Other messages are nil; a malformed one repairs nothing.
        guard let service = try? ServiceMessage(decoding: message.data) else { return false }
        return service.isRepair
    }
}

/// Why a received packet, or a message of a container, is ignored. The cases stand in the order of the checks.
public enum Refusal: Error, Equatable, Sendable {
    /// The length is not one of an encrypted packet.
    case malformed
    /// The packet is under another key. Zero: it is not encrypted.
    case unknownKey(KeyID)
    /// Changed bytes, or a packet of the other direction.
    case notAuthentic
    /// It is of another session.
    case wrongSession(UInt64)
    /// The ID is one of our own side.
    case wrongDirection(MessageID)
    /// The salt is neither the current one, nor the one that was replaced in the last 300 seconds. Answer with
    /// `ServiceMessage.badSalt`.
    case badSalt
    /// The message is more than 300 seconds old.
    case tooOld
    /// The message is more than 30 seconds ahead.
    case tooNew
    /// The message was received already.
    case duplicate
    /// The ID is below all that are stored, so the message may have been received already.
    case olderThanWindow
    /// The packet is authentic, but a container in it cannot be read.
    case container(ContainerError)
}
