internal import SecureMemory
internal import SessionStore
public import Threema
internal import ThreemaForwardSecurity

// The sessions with contacts.

extension Mailbox {
    /// Sends an empty message in each session that was idle for a day, except to revoked contacts, and forgets what was sent
    /// 28 days ago. Before that it asks for the states of the contacts, as ``refreshStates()`` does. Call it once a
    /// day.
    public func refresh() throws {
        try refreshStates()
        try forgetUnread()
        try forgetSyncRequests()
        for contact in try contacts()
        where try store.contains("ibex", contact.id.bytes) && !isRevoked(contact.id) {
            guard try hasReadableSessions(with: contact.id) else { continue }
            let partner = try partner(contact)
            let commit = try conversation(with: contact.id).refresh(partner.parties, circumstances(contact))
            if commit.queued.isEmpty { continue }
            try store.transaction { try write(commit, commit.nonceDigests, in: $0) }
        }
    }

    /// Ends the sessions with a contact and begins a new one, in one transaction, for example because their record is
    /// damaged: then every step with this contact throws `SessionStoreError.damaged` or `RecordError`, and nothing of
    /// the outbox is sent to it. ``unreadableSessions`` names such contacts.
    ///
    /// The contact is told that the sessions have ended. A damaged record does not name them: then the contact is told
    /// when it uses one, and has to send that message again. What waits in the outbox is sent.
    ///
    /// To a contact that was revoked nothing else is sent: its sessions end here only, and none begins.
    /// - Throws: `.unknownContact`; `.malformedValue` if a message in the outbox does not open, because its number is not
    ///   known then; `SessionStoreError`. Then nothing has changed.
    public func resetSessions(with contact: ThreemaID) throws {
        guard let known = try self.contact(contact) else { throw MailboxError.unknownContact(contact) }
        try store.transaction { changes in
            if try isRevoked(contact) {
                try forgetSessions(with: known, in: changes)
            } else {
                try end(.reset, known, in: changes)
                let partner = try partner(known)
                let commit = try conversation(with: contact).begin(partner.parties, circumstances(known))
                try write(commit, commit.nonceDigests, in: changes)
            }
        }
        unreadableSessions.remove(contact)
        // Without forward security the reset itself sends nothing, but what waits can be sent now.
        progress?.queued(for: contact)
    }

    func end(_ cause: TerminateCause, _ contact: Contact, in changes: borrowing Transaction) throws {
        guard try store.contains("ibex", contact.id.bytes) else { return }
        let partner = try partner(contact)
        let commit = try readableConversation(with: contact.id).end(cause, partner.parties, circumstances(contact))
        try write(commit, commit.nonceDigests, in: changes)
    }

    /// Ends the sessions with a contact, who is told nothing.
    private func forgetSessions(with contact: Contact, in changes: borrowing Transaction) throws {
        // Without forward security no session begins.
        var silent = contact
        silent.forwardSecurity = .disabledHere
        let partner = try partner(contact)
        let conversation = Conversation(withoutSessions: try numbersInOutbox(of: contact.id))
        let commit = try conversation.begin(partner.parties, circumstances(silent))
        try write(commit, commit.nonceDigests, in: changes)
    }

    /// The conversation; one without sessions if its record is damaged.
    private func readableConversation(with contact: ThreemaID) throws -> Conversation {
        do {
            return try conversation(with: contact)
        } catch is RecordError {
            return Conversation(withoutSessions: try numbersInOutbox(of: contact))
        } catch SessionStoreError.damaged {
            return Conversation(withoutSessions: try numbersInOutbox(of: contact))
        }
    }

    /// What the record of a conversation knows of the outbox, by the names of the messages there.
    private func numbersInOutbox(of contact: ThreemaID) throws -> Range<UInt64> {
        var numbers: [UInt64] = []
        try store.forEach("outbox") { name, _ in
            guard let name else { throw MailboxError.malformedValue(contact) }
            guard name.count == ThreemaID.count + 8, name.starts(with: contact.bytes) else { return }
            numbers.append(name.suffix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })
        }
        // Numbers below this have been sent on this connection, also if their messages have left the outbox.
        let unsent = progress?.firstUnsent(for: contact) ?? 0
        guard let first = numbers.min(), let last = numbers.max() else { return unsent..<unsent }
        return first..<max(last + 1, unsent)
    }
}
