public import Encodings
public import Threema

/// IDs for the messages of one change of a group, drawn before it begins: a change that is tried again after a crash
/// sends the same messages, and receivers see duplicates instead of new ones.
public struct GroupMessageIDs: Equatable, Sendable {
    /// Of the setup, or of a sync request.
    public let setup: MessageID
    /// The ID of the message with the group's name.
    public let name: MessageID
    /// The ID of the message with the group's picture.
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

    /// Four IDs from the system's random numbers.
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
    /// A picture to upload again afterwards, because the last upload is too old to refer to; else nil.
    public let renewal: PictureRenewal?

    init(group: Group, sendings: [GroupSending], renewal: PictureRenewal? = nil) {
        self.group = group
        self.sendings = sendings
        self.renewal = renewal
    }
}

/// Why the user cannot make a change.
public enum GroupChangeError: Error, Equatable, Sendable {
    /// Only the creator can.
    case notCreator
    /// A creator cannot leave. It disbands the group.
    case isCreator
    /// The user is not in the group any more.
    case left
    /// The picture was removed from the group before it was uploaded again.
    case noPicture
    case tooManyMembers(limit: Int, actual: Int)
}

extension GroupRules {
    /// Makes a group: its setup, then its name, then its picture.
    /// - Parameters:
    ///   - members: without the user; none for a group of notes, of which nobody is told.
    ///   - picture: uploaded for this.
    /// - Throws: `.tooManyMembers` past 256 with the user.
    public func create(
        _ id: GroupID, members: [ThreemaID], name: String, picture: UploadedPicture? = nil, ids: GroupMessageIDs
    ) throws(GroupChangeError) -> GroupChange {
        let group = Group(
            identity: GroupIdentity(creator: own, id: id), others: try checked(members), name: name,
            picture: picture)
        var messages = names(of: group, ids: ids)
        // Nobody has a picture yet that would have to go.
        if let picture { messages.append((ids.picture, .groupPicture(id, picture.message))) }
        return GroupChange(group: group, sendings: sendings(messages, to: group.others))
    }

    /// Changes who is in a group of the user. Who is removed gets an empty setup; all others get members, name and
    /// picture, also those who had them. A picture that was uploaded a week ago or more comes as `renewal`.
    /// - Throws: `.notCreator`, `.left`, `.tooManyMembers`.
    public func update(
        _ group: Group, members: [ThreemaID], ids: GroupMessageIDs, now: Timestamp
    ) throws(GroupChangeError) -> GroupChange {
        try requireOwn(group)
        var changed = group
        changed.others = try checked(members)
        let removed = group.others.filter { !changed.others.contains($0) }
        let farewell = GroupSending(
            id: ids.setup, body: .groupSetup(group.identity.id, members: []), receivers: removed)
        let state = state(of: changed, to: changed.others, ids: ids, now: now)
        return GroupChange(
            group: changed, sendings: (removed.isEmpty ? [] : [farewell]) + state.sendings, renewal: state.renewal)
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
    /// - Parameter picture: uploaded for this.
    /// - Throws: `.notCreator`, `.left`.
    public func setPicture(
        _ group: Group, to picture: UploadedPicture?, ids: GroupMessageIDs
    ) throws(GroupChangeError) -> GroupChange {
        try requireOwn(group)
        var changed = group
        changed.picture = picture
        return GroupChange(
            group: changed,
            sendings: sendings([(ids.picture, .groupPicture(group.identity.id, picture?.message))], to: group.others))
    }

    /// Tells members of the new upload of a group's picture.
    /// - Parameters:
    ///   - renewal: as it was decided.
    ///   - group: the group now. Who has left it in the meantime is not told.
    ///   - picture: the new upload.
    /// - Throws: `.notCreator`, `.left`; `.noPicture` if the group has none any more.
    public func renewPicture(
        _ renewal: PictureRenewal, of group: Group, to picture: UploadedPicture
    ) throws(GroupChangeError) -> GroupChange {
        precondition(renewal.group == group.identity)
        try requireOwn(group)
        guard group.picture != nil else { throw .noPicture }
        var changed = group
        changed.picture = picture
        return GroupChange(
            group: changed,
            sendings: sendings(
                [(renewal.messageID, .groupPicture(group.identity.id, picture.message))],
                to: renewal.receivers.filter { group.others.contains($0) }))
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

    /// Members, name and picture of a group of the user. If the upload of the picture is too old, the message about it
    /// is left out, and comes after the upload that `renewal` asks for.
    func state(
        of group: Group, to receivers: [ThreemaID], ids: GroupMessageIDs, now: Timestamp
    ) -> (sendings: [GroupSending], renewal: PictureRenewal?) {
        let messages = names(of: group, ids: ids)
        guard group.picture.map({ $0.isCurrent(at: now) }) ?? true else {
            let renewal = PictureRenewal(group: group.identity, messageID: ids.picture, receivers: receivers)
            return (sendings(messages, to: receivers), receivers.isEmpty ? nil : renewal)
        }
        let picture = MessageBody.groupPicture(group.identity.id, group.picture?.message)
        return (sendings(messages + [(ids.picture, picture)], to: receivers), nil)
    }

    /// Members and name.
    private func names(of group: Group, ids: GroupMessageIDs) -> [(MessageID, MessageBody)] {
        let id = group.identity.id
        return [(ids.setup, .groupSetup(id, members: group.others)), (ids.name, .groupName(id, group.name))]
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
