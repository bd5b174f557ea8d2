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

extension Mailbox {
    private static let lifetime: Int64 = 28 * day

    /// Sends a message again that a contact could not read: `SessionEvent.rejected` names it. It has its ID, by which the
    /// contact recognises it. In a group, nobody else gets it.
    /// - Returns: whether the message was still there: for 28 days, and until the contact has sent a receipt for it.
    /// - Throws: as ``send(_:to:id:)`` does.
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
        let container = try message.body.container(randomPadding: 1)
        try container.withBytes { bytes in
            var value = SecureBuffer(capacity: MessageID.count + bytes.count)
            value.append(MessageID(UInt64(bitPattern: message.createdAt.milliseconds)).bytes.span)
            // Without the padding.
            value.append(bytes.extracting(0..<bytes.count - Int(bytes[bytes.count - 1])))
            try value.finish().withBytes {
                try changes.set("sent", Self.name(of: message.id, to: message.receiver), $0)
            }
        }
    }

    /// A contact has sent a receipt for these.
    func forget(_ ids: [MessageID], to contact: ThreemaID, in changes: borrowing Transaction) throws {
        for id in ids { try changes.remove("sent", Self.name(of: id, to: contact)) }
    }

    /// Removes what is kept for too long.
    func forgetUnread() throws {
        let time = now()
        var old: [[UInt8]] = []
        try store.forEach("sent") { name, value in
            guard let name, value.count > MessageID.count else { throw MailboxError.malformedValue(own.id) }
            let sent = Timestamp(
                milliseconds: Int64(bitPattern: MessageID(bytes: value.extracting(0..<MessageID.count)).value))
            // A time in the future is from a wrong clock.
            if !isWithin(Self.lifetime, of: sent, time), sent <= time { old.append(name) }
        }
        if old.isEmpty { return }
        try store.transaction { changes in for name in old { try changes.remove("sent", name) } }
    }

    private func unread(_ id: MessageID, by contact: ThreemaID) throws -> MessageBody? {
        guard let value = try store.read("sent", Self.name(of: id, to: contact)) else { return nil }
        return try value.withBytes { bytes in
            guard bytes.count > MessageID.count,
                let body = try? MessageBody(typed: bytes.extracting(MessageID.count..<bytes.count))
            else { throw MailboxError.malformedValue(contact) }
            return body
        }
    }

    /// 16 bytes.
    private static func name(of id: MessageID, to contact: ThreemaID) -> [UInt8] { contact.bytes + id.bytes }
}
