internal import SecureMemory
public import SessionStore
public import Threema
public import ThreemaMessages

// The groups that the user is or was in, and what their members are told. GroupJudgement changes them as
// messages say.

extension Mailbox {
    /// A group that the user is or was in, as messages and changes have left it; nil for an unknown one.
    /// - Throws: `.damagedGroup`, `SessionStoreError`.
    public func group(_ identity: GroupIdentity) throws -> Group? {
        let damaged = MailboxError.damagedGroup(identity)
        guard let record = try read("group", identity.bytes, damaged: damaged) else { return nil }
        guard let group = record.withBytes({ Group(decoding: $0, of: identity) }) else { throw damaged }
        return group
    }

    /// All groups that the user is or was in, in the order of creators and group IDs.
    /// - Throws: `.damagedGroup`; `.malformedValue` of the identity itself for one that does not open, because its name is
    ///   not known then; `SessionStoreError`.
    public func groups() throws -> [Group] {
        var groups: [Group] = []
        try store.forEach("group") { name, record in
            guard let name, name.count == GroupIdentity.count, let identity = try? GroupIdentity(decoding: name.span)
            else { throw MailboxError.malformedValue(own.id) }
            guard let group = Group(decoding: record, of: identity) else { throw MailboxError.damagedGroup(identity) }
            groups.append(group)
        }
        return groups.sorted { $0.identity.bytes.lexicographicallyPrecedes($1.identity.bytes) }
    }

    /// Forgets a group and its picture, for example because its record is damaged: then each message of the group throws,
    /// so that no later message comes.
    ///
    /// Nobody is told. When somebody writes in the group again, its creator is asked for it.
    /// - Throws: `SessionStoreError`. Then nothing has changed.
    public func forget(_ group: GroupIdentity) throws {
        try store.transaction { changes in
            for kind: ValueKind in ["group", "groupsync", "picture", "wanted"] { try changes.remove(kind, group.bytes) }
        }
    }

    /// Makes a change of a group: stores it, and seals for each member what it is told, in one transaction.
    ///
    /// Members that are no contacts yet are searched for before it.
    /// - Parameter change: of a group as ``group(_:)`` has it now, or of a new one.
    /// - Returns: the members that no search finds, those that were revoked, and those whose value or record of sessions is
    ///   damaged. They are told nothing.
    /// - Throws: as ``send(_:to:id:)`` does, except for `.unknownContact` and `.revokedContact`. Then nothing has changed.
    @discardableResult
    public func make(_ change: GroupChange) throws -> [ThreemaID] { try make(change) { _ in } }

    /// Seals what the members of a group are told, for each of them, in one transaction.
    ///
    /// Members that are no contacts yet are searched for before it.
    /// - Returns: the members that no search finds, those that were revoked, and those whose value or record of sessions is
    ///   damaged. They are told nothing.
    /// - Throws: as ``send(_:to:id:)`` does, except for `.unknownContact` and `.revokedContact`.
    @discardableResult
    public func send(_ sendings: [GroupSending]) throws -> [ThreemaID] {
        try refreshStates()
        let (members, unknown) = try receivers(of: sendings, find)
        try uploadPicture(with: sendings.map(\.body.innerType), to: members.map(\.id))
        try store.transaction { try send(sendings, to: members, in: $0) }
        return unknown
    }

    /// Seals what the members of a group are told, for each of them, in a transaction of ``store`` that stores something
    /// else, too.
    ///
    /// It is sent after the transaction was made, and never if it was not.
    /// - Returns: the members that are no contacts, and the others as above. They are told nothing: nobody is searched for,
    ///   because a transaction must not wait for a server.
    /// - Throws: as ``send(_:to:id:)`` does, except for `.unknownContact` and `.revokedContact`.
    @discardableResult
    public func send(_ sendings: [GroupSending], in changes: borrowing Transaction) throws -> [ThreemaID] {
        let (members, unknown) = try receivers(of: sendings, contact)
        try send(sendings, to: members, in: changes)
        return unknown
    }

    // MARK: Parts

    /// Makes a change of a group and `more` in one transaction.
    @discardableResult
    func make(_ change: GroupChange, and more: (borrowing Transaction) throws -> Void) throws -> [ThreemaID] {
        try refreshStates()
        let (members, unknown) = try receivers(of: change.sendings, find)
        try store.transaction { changes in
            try store(change.group, in: changes)
            try send(change.sendings, to: members, in: changes)
            if let renewal = change.renewal { try note(renewal, in: changes) }
            try more(changes)
        }
        return unknown
    }

    func store(_ group: Group, in changes: borrowing Transaction) throws {
        try group.encoded().withBytes { try changes.set("group", group.identity.bytes, $0) }
    }

    /// Each receiver once, in their order. One whose value or sessions are damaged counts as unknown, so that the others
    /// get the message.
    private func receivers(
        of sendings: [GroupSending], _ find: (ThreemaID) throws -> Contact?
    ) throws -> (members: [Contact], unknown: [ThreemaID]) {
        var asked: Set<ThreemaID> = []
        var (members, unknown) = ([Contact](), [ThreemaID]())
        for id in sendings.flatMap(\.receivers) where asked.insert(id).inserted {
            if let member = try readable(id, find), try !isRevoked(id) {
                members.append(member)
            } else {
                unknown.append(id)
            }
        }
        return (members, unknown)
    }

    /// - Returns: nil if nobody has this ID, or for a contact whose value or sessions are damaged.
    func readable(_ id: ThreemaID, _ find: (ThreemaID) throws -> Contact?) throws -> Contact? {
        do {
            guard let contact = try find(id), try hasReadableSessions(with: id) else { return nil }
            return contact
        } catch MailboxError.malformedValue {
            // It is one of `unreadableContacts`.
            return nil
        }
    }

    private func send(
        _ sendings: [GroupSending], to members: [Contact], in changes: borrowing Transaction
    ) throws {
        let time = now()
        for member in members {
            for sending in sendings where sending.receivers.contains(member.id) {
                _ = try send(sending.body, to: member, id: sending.id, at: time, in: changes)
            }
        }
    }
}
