internal import Encodings
internal import SecureMemory
public import SessionStore
public import Threema
internal import ThreemaForwardSecurity
public import ThreemaMessages

// What was sent in a session and may not have been read: a contact that has lost the session rejects it.
//
// A message is kept until the contact has sent a receipt for it, and for 28 days at most: it waits at the chat server for
// two weeks, and then the contact's answer does.
//
//   offset  length  meaning
//        0       8  when it was sent last: see StoredTimes
//        8       1  how often it was sent again: a contact may reject it without end, and with few bytes
//        9       …  type and body as in a message box, without the padding: see MessageContainer

extension Mailbox {
    private static let lifetime = Duration.days(28)
    private static let maxRepetitions = 4
    private static let headerCount = Timestamp.encodedCount + 1

    /// Sends a message again that a contact could not read: `SessionEvent.rejected` names it. It has its ID, by which the
    /// contact recognises it. In a group, nobody else gets it.
    /// - Returns: whether the message was still there: for 28 days, until the contact has sent a receipt for it, and until
    ///   it was sent again four times. False also for the user's picture, if a later message brings it.
    /// - Throws: as ``send(_:to:id:)`` does. Then nothing has changed.
    @discardableResult
    public func sendAgain(_ id: MessageID, to contact: ThreemaID) throws -> Bool {
        guard let body = try unread(id, by: contact) else { return false }
        try send(body, to: contact, id: id)
        return true
    }

    /// Sends again what a contact rejects, in the transaction that stores its rejection.
    /// - Parameter incoming: any message; one that rejects nothing changes nothing.
    /// - Returns: as ``sendAgain(_:to:)``; false also if the contact was revoked, because a closure that throws would get
    ///   the same rejection for ever.
    /// - Throws: as ``send(_:to:id:in:)`` does.
    @discardableResult
    public func sendAgain(rejectedBy incoming: Incoming, in changes: borrowing Transaction) throws -> Bool {
        guard case .rejected(let rejection) = incoming.event, let contact = incoming.sender,
            try !isRevoked(contact), let body = try unread(rejection.messageID, by: contact)
        else { return false }
        try send(body, to: contact, id: rejection.messageID, in: changes)
        return true
    }

    // MARK: Parts

    func remember(_ message: Message, in changes: borrowing Transaction) throws {
        guard message.body.needsReplayProtection else { return }
        let name = Self.name(of: message.id, to: message.receiver)
        let before = try store.read("sent", name)?.withBytes {
            $0.count > Timestamp.encodedCount ? $0[Timestamp.encodedCount] : nil
        }
        let container = try message.body.container(randomPadding: 1)
        try container.withBytes { bytes in
            var value = SecureBuffer(capacity: Self.headerCount + bytes.count)
            value.append(message.createdAt.encoded.span)
            value.append(before.map { max($0, $0 &+ 1) } ?? 0)
            // Without the padding.
            value.append(bytes.extracting(0..<bytes.count - Int(bytes[bytes.count - 1])))
            try value.finish().withBytes { try changes.set("sent", name, $0) }
        }
    }

    /// A contact has sent a receipt for these, or can read them without a session.
    func forget(_ ids: [MessageID], to contact: ThreemaID, in changes: borrowing Transaction) throws {
        for id in ids { try changes.remove("sent", Self.name(of: id, to: contact)) }
    }

    /// Removes what is kept for too long.
    func forgetUnread() throws {
        let time = now()
        try remove("sent") { _, value in
            // One that is malformed is of no use any more, and must not keep the others.
            guard value.count > Self.headerCount,
                let sent = Timestamp(decoding: value.extracting(0..<Timestamp.encodedCount))
            else { return true }
            // A time in the future is from a wrong clock.
            return !isWithin(Self.lifetime, of: sent, time) && sent <= time
        }
    }

    private func unread(_ id: MessageID, by contact: ThreemaID) throws -> MessageBody? {
        guard let value = try store.read("sent", Self.name(of: id, to: contact)) else { return nil }
        return try value.withBytes { bytes in
            guard bytes.count > Self.headerCount,
                let body = try? MessageBody(typed: bytes.extracting(Self.headerCount..<bytes.count))
            else { throw MailboxError.malformedValue(contact) }
            return bytes[Timestamp.encodedCount] < Self.maxRepetitions ? try current(body, for: contact) : nil
        }
    }

    /// What a message of a group or of the user's picture says now: an old one behind a later one would count as the last.
    /// - Returns: nil if the contact, or the user, is not in the group any more, or if a later message brings the picture.
    private func current(_ body: MessageBody, for contact: ThreemaID) throws -> MessageBody? {
        let identity: GroupIdentity
        switch body {
        case .profilePicture: return try current(picture: body, for: contact)
        case .groupSetup(let id, _), .groupName(let id, _), .groupPicture(let id, _):
            identity = GroupIdentity(creator: own.id, id: id)
        case .groupChat(let group, _), .groupCallStart(let group, _): identity = group
        default: return body
        }
        guard let group = try group(identity) else { return body }
        let isMember = group.standing == .member && group.others.contains(contact)
        switch body {
        case .groupSetup(let id, _): return .groupSetup(id, members: isMember ? group.others : [])
        case _ where !isMember: return nil
        case .groupName(let id, _): return .groupName(id, group.name)
        case .groupPicture(let id, _): return .groupPicture(id, group.picture?.message)
        default: return body
        }
    }

    /// 16 bytes.
    private static func name(of id: MessageID, to contact: ThreemaID) -> [UInt8] { contact.bytes + id.bytes }
}
