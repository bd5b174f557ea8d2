import Encodings
import SecureMemory
import Threema
import ThreemaForwardSecurity
import ThreemaMessages

/// What one side has on its disk. A transaction replaces the value as a whole.
package struct Disk {
    /// What a session store holds. It can be lost, or restored from an older copy.
    package struct Sessions {
        package var record: [UInt8] = []
        package var outbox: [[UInt8]: [UInt8]] = [:]
        package var nonces: Set<NonceDigest> = []
    }

    package var sessions = Sessions()
    /// Messages that have to be sealed, in this order; also those that were rejected.
    package var drafts: [MessageID] = []
    /// Sealed messages that the chat server has not acknowledged.
    package var unsent: [MessageID] = []
    package var sent: [MessageID: MessageBody] = [:]
    package var received: Set<MessageOrigin> = []
}

extension Disk.Sessions: UsedNonces {
    package func contains(_ digest: NonceDigest) throws(Never) -> Bool { nonces.contains(digest) }
}

/// What went wrong in a run.
package struct Violation: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

/// One of two clients: its disk, and the programs that change it. Nothing else outlives a crash.
package final class Side {
    package let id: ThreemaID
    package let parties: Parties
    package var disk = Disk()
    package var policy = ForwardSecurityPolicy.enabled
    package var supported = VersionRange.supported
    package var now = Timestamp(milliseconds: 1_700_000_000_000)
    /// What the envelopes have meant.
    package var events: [SessionEvent] = []
    /// How many messages were delivered, by ID.
    package var delivered: [MessageID: Int] = [:]
    /// How many keys have protected the last message.
    package var lastProtection: DHMode?
    let random: RepeatableRandom

    package init(own: borrowing Identity, contact: ThreemaID, publicKey: PublicKey, random: RepeatableRandom) throws {
        id = own.id
        parties = try Parties(own: own, contact: contact, publicKey: publicKey)
        self.random = random
    }

    package var circumstances: Circumstances<Disk.Sessions, RepeatableRandom> {
        Circumstances(now: now, used: disk.sessions, random: random, policy: policy, supported: supported)
    }

    package func conversation() throws -> Conversation {
        let record = disk.sessions.record
        guard !record.isEmpty else { return Conversation() }
        return try Conversation(decoding: record.span)
    }

    package var contact: ThreemaID { parties.contact }

    /// Writes a step into a copy of the disk.
    func write(_ commit: borrowing Commit, to disk: inout Disk, digests: [NonceDigest]? = nil) throws {
        disk.sessions.record = commit.record.withBytes { $0.revealBytes() }
        for name in commit.removed { disk.sessions.outbox[name] = nil }
        for message in commit.queued { disk.sessions.outbox[message.name] = message.payload.encoded }
        for digest in digests ?? commit.nonceDigests {
            guard disk.sessions.nonces.insert(digest).inserted else { throw Violation("a nonce was used twice") }
        }
    }

    // MARK: Programs

    package func compose(_ body: MessageBody) -> MessageID {
        let id = MessageID(random.next())
        disk.sent[id] = body
        disk.drafts.append(id)
        return id
    }

    /// Seals the first draft.
    /// - Parameter crashes: whether the process dies before it has stored what it has sealed.
    package func sealDraft(crashes: Bool = false) throws {
        guard let draft = disk.drafts.first, let body = disk.sent[draft] else { return }
        let message = Message(from: id, to: contact, id: draft, createdAt: now, body: body)
        let sealed = try conversation().seal(message, parties, circumstances)
        guard !crashes else { return }
        var next = disk
        next.drafts.removeFirst()
        if !next.unsent.contains(draft) { next.unsent.append(draft) }
        try write(sealed.commit, to: &next)
        lastProtection = sealed.protection
        disk = next
    }

    /// The first message of the outbox.
    package func firstQueued() throws -> (number: UInt64, payload: [UInt8])? {
        let unsent = try conversation().unsent
        guard let first = unsent.first else { return nil }
        guard let payload = disk.sessions.outbox[Conversation.outboxName(contact, first)] else {
            throw Violation("the outbox has a gap")
        }
        return (first, payload)
    }

    /// The chat server has acknowledged a message.
    package func acknowledged(_ number: UInt64, _ payload: [UInt8]) throws {
        let commit = try conversation().acknowledge(number, to: contact)
        var next = disk
        try write(commit, to: &next)
        let sent = try MessagePayload(decoding: payload.span).id
        next.unsent.removeAll { $0 == sent }
        disk = next
    }

    /// Any step that only sends.
    package func take(_ commit: consuming Commit) throws {
        var next = disk
        try write(commit, to: &next)
        disk = next
    }

    /// Forgets the sessions, as a client does that is installed again. Messages that were not sent are sealed again.
    package func reset() {
        disk.sessions = Disk.Sessions()
        resealUnsent()
    }

    /// Uses an older copy of the session store.
    /// - Parameter detected: whether the store has found that it was copied.
    package func restore(_ copy: Disk.Sessions, detected: Bool = true) throws {
        disk.sessions = copy
        resealUnsent()
        if detected { try take(conversation().end(.reset, parties, circumstances)) }
    }

    private func resealUnsent() {
        disk.drafts += disk.unsent.filter { !disk.drafts.contains($0) }
        disk.unsent = []
    }
}
