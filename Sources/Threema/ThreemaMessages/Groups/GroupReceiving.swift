public import Encodings
public import Threema

/// What a member does about the messages of a group. Pure: contacts, clock and IDs are parameters.
///
/// The creator alone says who is in a group, and what it is called. A member that gets a message for a group that it
/// does not know asks the creator, once an hour at most.
public struct GroupRules: Sendable {
    /// The user's ID, which decides who is the creator and who a member.
    public let own: ThreemaID

    /// - Parameter own: the user.
    public init(own: ThreemaID) { self.own = own }

    /// What is known when a message comes in.
    public struct Knowledge: Sendable {
        /// The group of the message; nil if it is unknown.
        public var group: Group?
        /// When its creator was asked last; nil for never.
        public var lastSyncRequest: Timestamp?
        /// The IDs of all contacts.
        public var contacts: Set<ThreemaID>
        /// Those of the members that `unknownMembers` has named and that the directory does not know, or has revoked.
        public var invalid: Set<ThreemaID>
        /// The present time.
        public var now: Timestamp
        /// For the messages that are sent in return.
        public var ids: GroupMessageIDs

        /// Puts the parts together.
        public init(
            group: Group?, lastSyncRequest: Timestamp? = nil, contacts: Set<ThreemaID>, invalid: Set<ThreemaID> = [],
            now: Timestamp, ids: GroupMessageIDs = .random()
        ) {
            self.group = group
            self.lastSyncRequest = lastSyncRequest
            self.contacts = contacts
            self.invalid = invalid
            self.now = now
            self.ids = ids
        }
    }

    /// The members in a setup that the directory has to be asked for, before `receive`.
    public func unknownMembers(in message: Message, contacts: Set<ThreemaID>) -> [ThreemaID] {
        guard case .groupSetup(_, let members) = message.body, members.contains(own) else { return [] }
        return Group.sorted(members).filter { $0 != own && $0 != message.sender && !contacts.contains($0) }
    }

    /// What is to be done about a message.
    /// - Parameter message: delivered by ``IncomingPipeline``.
    public func receive(_ message: Message, _ known: Knowledge) -> [GroupDecision] {
        switch message.body {
        case .groupSetup(let id, let members): return setup(id, members, from: message.sender, known)
        case .groupSyncRequest(let id): return syncRequest(id, from: message.sender, known)
        case .groupLeave(let identity): return leave(identity, from: message.sender, known)
        case .groupName, .groupPicture, .groupChat, .groupCallStart: break
        case .chat, .typing, .profilePicture, .requestProfilePicture, .forwardSecurity, .empty, .opaque:
            return [.discard(.noGroupMessage)]
        }
        guard let identity = message.group else { return [.discard(.noGroupMessage)] }
        guard var group = known.group else { return unknown(identity, known) }
        if let refusal = refusal(group, sender: message.sender, known) { return refusal }
        switch message.body {
        case .groupName(_, let name):
            guard group.name != name else { return [] }
            group.name = name
            return [.store(group)]
        case .groupPicture(_, let picture):
            // The same picture again may be the first that arrives.
            let fetch = picture.map { [GroupDecision.fetchPicture($0)] } ?? []
            guard group.picture?.message != picture else { return fetch }
            group.picture = picture.map { UploadedPicture(message: $0, uploadedAt: message.createdAt) }
            return [.store(group)] + fetch
        case .groupChat(_, let content): return [.show(content)]
        case .groupCallStart(_, let start): return [.showCall(start)]
        case .groupSetup, .groupSyncRequest, .groupLeave, .chat, .typing, .profilePicture, .requestProfilePicture,
            .forwardSecurity, .empty, .opaque:
            return [.discard(.noGroupMessage)]
        }
    }

    /// Nil if the sender may write to the group, and the user reads it.
    private func refusal(_ group: Group, sender: ThreemaID, _ known: Knowledge) -> [GroupDecision]? {
        guard group.standing == .member else { return [.discard(.left)] + removal(group.identity, of: sender, known) }
        guard !group.others.contains(sender) else { return nil }
        return [.discard(.senderIsNoMember)] + removal(group.identity, of: sender, known)
    }

    /// What the creator tells somebody who takes himself for a member: the empty setup.
    private func removal(_ identity: GroupIdentity, of sender: ThreemaID, _ known: Knowledge) -> [GroupDecision] {
        guard identity.creator == own else { return [] }
        return [
            .send(
                GroupSending(id: known.ids.setup, body: .groupSetup(identity.id, members: []), receivers: [sender]))
        ]
    }

    /// The pause between requests is for each group. Group and creator are the sender's claim, so a sender that names
    /// new groups can make this identity write to their creators: limit requests for each sender, too.
    private func unknown(_ identity: GroupIdentity, _ known: Knowledge) -> [GroupDecision] {
        // A creator has nobody to ask.
        guard identity.creator != own, GroupSync.isDue(last: known.lastSyncRequest, now: known.now) else {
            return [.discard(.unknownGroup)]
        }
        let request = GroupSending(
            id: known.ids.setup, body: .groupSyncRequest(identity.id), receivers: [identity.creator])
        return [.send(request), .noteSyncRequest(identity), .discard(.unknownGroup)]
    }

    private func setup(
        _ id: GroupID, _ members: [ThreemaID], from creator: ThreemaID, _ known: Knowledge
    ) -> [GroupDecision] {
        let identity = GroupIdentity(creator: creator, id: id)
        guard members.contains(own) else {
            // Removed, or disbanded.
            guard var group = known.group else { return [.discard(.unknownGroup)] }
            guard group.standing == .member else { return [] }
            group.standing = .left
            return [.store(group)]
        }
        let valid = Set(members).subtracting(known.invalid).subtracting([own])
        let added = Group.sorted(valid.subtracting(known.contacts).subtracting([creator]))
        var group = known.group ?? Group(identity: identity, others: [])
        group.others = Group.sorted(valid.union([creator]))
        group.standing = .member
        guard group != known.group else { return [] }
        return (added.isEmpty ? [] : [.addContacts(added)]) + [.store(group)]
    }

    private func leave(_ identity: GroupIdentity, from sender: ThreemaID, _ known: Knowledge) -> [GroupDecision] {
        guard sender != identity.creator else { return [.discard(.senderIsCreator)] }
        guard var group = known.group else { return unknown(identity, known) }
        guard group.standing == .member else { return [.discard(.left)] }
        guard group.others.contains(sender) else { return [.discard(.senderIsNoMember)] }
        group.others.removeAll { $0 == sender }
        return [.store(group)]
    }

    private func syncRequest(_ id: GroupID, from sender: ThreemaID, _ known: Knowledge) -> [GroupDecision] {
        let identity = GroupIdentity(creator: own, id: id)
        guard let group = known.group, group.standing == .member, group.others.contains(sender) else {
            return removal(identity, of: sender, known)
        }
        guard group.identity == identity else { return [.discard(.notCreator)] }
        let state = state(of: group, to: [sender], ids: known.ids, now: known.now)
        return state.sendings.map { .send($0) } + (state.renewal.map { [.renewPicture($0)] } ?? [])
    }
}
