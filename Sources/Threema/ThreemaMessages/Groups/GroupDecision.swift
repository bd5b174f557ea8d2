public import Threema

/// What is to be done about a group. Decisions are carried out in their order. Store all of them in the transaction
/// that stores the message's nonce, and carry them out afterwards: after a crash the same message counts as a replay,
/// so what was not stored then is lost.
public enum GroupDecision: Equatable, Sendable {
    /// Store the group.
    case store(Group)
    /// Create contacts for these IDs, which nobody has introduced: acquaintance level "group".
    case addContacts([ThreemaID])
    /// Show the message in the group.
    case show(ChatContent)
    /// Tell the user that a call has begun.
    case showCall(GroupCallStart)
    /// Download the picture, open it, store it.
    case fetchPicture(PictureMessage)
    /// Send a message.
    case send(GroupSending)
    /// Upload the picture of a group of the user again, because the last upload is too old to refer to. Then carry out
    /// what `GroupRules.renewPicture` returns.
    case renewPicture(PictureRenewal)
    /// Remember that the creator was asked now: no further request for an hour.
    case noteSyncRequest(GroupIdentity)
    /// Do nothing further with the message.
    case discard(GroupDiscard)
}

/// Why a message to a group has no effect.
public enum GroupDiscard: Error, Equatable, Sendable {
    /// The group is unknown, and its creator was asked or is the user.
    case unknownGroup
    /// The user is not in the group any more.
    case left
    /// The sender is not in the group.
    case senderIsNoMember
    /// The creator has no need to leave or to ask.
    case senderIsCreator
    /// Only the creator is asked for a group's state.
    case notCreator
    /// The message is none of a group.
    case noGroupMessage
}

/// A picture of a group that has to be uploaded again with `Blob.sealPicture`, and who is to be told of it. Store it
/// until that is done.
public struct PictureRenewal: Equatable, Sendable {
    /// A group of the user.
    public let group: GroupIdentity
    /// Of the message with the new upload.
    public let messageID: MessageID
    /// Who gets the message: at least one.
    public let receivers: [ThreemaID]

    /// Puts the parts together.
    public init(group: GroupIdentity, messageID: MessageID, receivers: [ThreemaID]) {
        self.group = group
        self.messageID = messageID
        self.receivers = receivers
    }
}

/// One message to some members, each of whom gets a copy of its own: with the same ID and time, sealed with their key.
public struct GroupSending: Equatable, Sendable {
    /// The ID that all copies have.
    public let id: MessageID
    /// The content that all copies have.
    public let body: MessageBody
    /// Who gets it: at least one.
    public let receivers: [ThreemaID]

    /// Puts the parts together.
    public init(id: MessageID, body: MessageBody, receivers: [ThreemaID]) {
        self.id = id
        self.body = body
        self.receivers = receivers
    }
}
