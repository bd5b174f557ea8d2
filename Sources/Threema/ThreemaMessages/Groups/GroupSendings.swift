public import Threema

/// IDs for the messages of one change of a group, drawn before it begins: a change that is tried again after a crash
/// sends the same messages, and receivers see duplicates instead of new ones.
public struct GroupMessageIDs: Equatable, Sendable {
    /// Of the setup, or of a sync request.
    public let setup: MessageID
    /// Of the name.
    public let name: MessageID
    /// Of the picture.
    public let picture: MessageID
    /// Of the start of a call that is going on.
    public let callStart: MessageID

    /// Puts the four together.
    public init(setup: MessageID, name: MessageID, picture: MessageID, callStart: MessageID) {
        self.setup = setup
        self.name = name
        self.picture = picture
        self.callStart = callStart
    }

    /// Four fresh IDs.
    public static func random() -> GroupMessageIDs {
        GroupMessageIDs(setup: .random(), name: .random(), picture: .random(), callStart: .random())
    }
}

/// A change that the user makes: the group as it is then, and what is sent, in this order.
public struct GroupChange: Equatable, Sendable {
    /// To be stored before anything is sent.
    public let group: Group
    /// What the members are told.
    public let sendings: [GroupSending]
}

/// Why the user cannot make a change.
public enum GroupChangeError: Error, Equatable, Sendable {
    /// Only the creator can.
    case notCreator
    /// A creator cannot leave. It disbands the group.
    case isCreator
    /// The user is not in the group any more.
    case left
    case tooManyMembers(limit: Int, actual: Int)
}

extension GroupRules {
    /// Makes a group: its setup, then its name, then its picture.
    /// - Parameter members: without the user; none for a group of notes, of which nobody is told.
    /// - Throws: `.tooManyMembers` past 256 with the user.
    public func create(
        _ id: GroupID, members: [ThreemaID], name: String, picture: PictureMessage? = nil, ids: GroupMessageIDs
    ) throws(GroupChangeError) -> GroupChange {
        let group = Group(
            identity: GroupIdentity(creator: own, id: id), others: try checked(members), name: name,
            picture: picture)
        // Nobody has a picture yet that would have to go.
        let sendings = state(of: group, to: group.others, ids: ids).filter { $0.body.type != .groupDeletePicture }
        return GroupChange(group: group, sendings: sendings)
    }

    /// Changes who is in a group of the user. Who is removed gets an empty setup; all others get members, name and
    /// picture, also those who had them.
    /// - Throws: `.notCreator`, `.left`, `.tooManyMembers`.
    public func update(
        _ group: Group, members: [ThreemaID], ids: GroupMessageIDs
    ) throws(GroupChangeError) -> GroupChange {
        try requireOwn(group)
        var changed = group
        changed.others = try checked(members)
        let removed = group.others.filter { !changed.others.contains($0) }
        let farewell = GroupSending(
            id: ids.setup, body: .groupSetup(group.identity.id, members: []), receivers: removed)
        return GroupChange(
            group: changed,
            sendings: (removed.isEmpty ? [] : [farewell]) + state(of: changed, to: changed.others, ids: ids))
    }

    /// Gives a group of the user another name.
    /// - Throws: `.notCreator`, `.left`.
    public func rename(_ group: Group, to name: String, ids: GroupMessageIDs) throws(GroupChangeError) -> GroupChange {
        try requireOwn(group)
        var changed = group
        changed.name = name
        return GroupChange(
            group: changed,
            sendings: sendings([(ids.name, .groupName(group.identity.id, name))], to: group.others))
    }

    /// Gives a group of the user another picture, or takes it away.
    /// - Throws: `.notCreator`, `.left`.
    public func setPicture(
        _ group: Group, to picture: PictureMessage?, ids: GroupMessageIDs
    ) throws(GroupChangeError) -> GroupChange {
        try requireOwn(group)
        var changed = group
        changed.picture = picture
        return GroupChange(
            group: changed,
            sendings: sendings([(ids.picture, .groupPicture(group.identity.id, picture))], to: group.others))
    }

    /// Leaves a group of somebody else: all others are told.
    /// - Throws: `.isCreator`, `.left`.
    public func leave(_ group: Group, ids: GroupMessageIDs) throws(GroupChangeError) -> GroupChange {
        guard group.identity.creator != own else { throw .isCreator }
        guard group.standing == .member else { throw .left }
        var changed = group
        changed.standing = .left
        return GroupChange(
            group: changed, sendings: sendings([(ids.setup, .groupLeave(group.identity))], to: group.others))
    }

    /// Ends a group of the user: everybody gets an empty setup.
    /// - Throws: `.notCreator`, `.left`.
    public func disband(_ group: Group, ids: GroupMessageIDs) throws(GroupChangeError) -> GroupChange {
        try requireOwn(group)
        var changed = group
        changed.standing = .left
        return GroupChange(
            group: changed,
            sendings: sendings([(ids.setup, .groupSetup(group.identity.id, members: []))], to: group.others))
    }

    /// A message to all others, with one ID.
    /// - Throws: `.left`.
    public func send(
        _ content: ChatContent, to group: Group, id: MessageID
    ) throws(GroupChangeError) -> [GroupSending] {
        guard group.standing == .member else { throw .left }
        return sendings([(id, .groupChat(group.identity, content))], to: group.others)
    }

    /// Members, name and picture of a group of the user.
    func state(of group: Group, to receivers: [ThreemaID], ids: GroupMessageIDs) -> [GroupSending] {
        let id = group.identity.id
        return sendings(
            [
                (ids.setup, .groupSetup(id, members: group.others)), (ids.name, .groupName(id, group.name)),
                (ids.picture, .groupPicture(id, group.picture)),
            ], to: receivers)
    }

    private func sendings(_ messages: [(MessageID, MessageBody)], to receivers: [ThreemaID]) -> [GroupSending] {
        guard !receivers.isEmpty else { return [] }
        return messages.map { GroupSending(id: $0.0, body: $0.1, receivers: receivers) }
    }

    private func requireOwn(_ group: Group) throws(GroupChangeError) {
        guard group.identity.creator == own else { throw .notCreator }
        guard group.standing == .member else { throw .left }
    }

    private func checked(_ members: [ThreemaID]) throws(GroupChangeError) -> [ThreemaID] {
        let others = Group.sorted(members).filter { $0 != own }
        guard others.count < MessageLimits.groupMembers else {
            throw .tooManyMembers(limit: MessageLimits.groupMembers, actual: others.count + 1)
        }
        return others
    }
}
