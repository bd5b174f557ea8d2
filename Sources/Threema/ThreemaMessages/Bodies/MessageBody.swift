internal import SecureMemory
public import Threema

/// What a message says, by its type.
public enum MessageBody: Equatable, Sendable {
    /// To one person.
    case chat(ChatContent)
    /// To a group.
    case groupChat(GroupIdentity, ChatContent)
    /// Whether the sender is typing.
    case typing(Bool)
    /// The sender's profile picture; nil if it was removed, or if this receiver may not see it.
    case profilePicture(PictureMessage?)
    /// The sender has lost the receiver's profile picture.
    case requestProfilePicture
    /// The members of a group of the sender, without the sender; empty if the receiver was removed from the group.
    case groupSetup(GroupID, members: [ThreemaID])
    /// The name of a group of the sender.
    case groupName(GroupID, String)
    /// The picture of a group of the sender; nil if it has none any more.
    case groupPicture(GroupID, PictureMessage?)
    /// The sender asks the receiver, whose group it is, for members, name and picture.
    case groupSyncRequest(GroupID)
    /// The sender has left the group.
    case groupLeave(GroupIdentity)
    /// A call has begun.
    case groupCallStart(GroupIdentity, GroupCallStart)
    /// An envelope of forward security, which may hold another message.
    ///
    /// `inner` is the type of that message. Name it when you seal the envelope, because nickname and flags of
    /// the outer message are those of the inner one. It is nil in an envelope without a message, and in one that was
    /// received, before a session has opened it.
    case forwardSecurity([UInt8], inner: MessageType? = nil)
    /// Nothing: keeps a session of forward security fresh.
    case empty
    /// A body that is carried as it is: calls between two people, and messages of two special senders.
    case opaque(MessageType, EnclosedBytes)

    /// The type of message that has such a body, also of an opaque one.
    public var type: MessageType {
        switch self {
        case .chat(let content): content.kind.directType
        case .groupChat(_, let content): content.kind.groupType
        case .typing: .typing
        case .profilePicture(let picture): picture == nil ? .deleteProfilePicture : .setProfilePicture
        case .requestProfilePicture: .requestProfilePicture
        case .groupSetup: .groupSetup
        case .groupName: .groupName
        case .groupPicture(_, let picture): picture == nil ? .groupDeletePicture : .groupSetPicture
        case .groupSyncRequest: .groupSyncRequest
        case .groupLeave: .groupLeave
        case .groupCallStart: .groupCallStart
        case .forwardSecurity: .forwardSecurity
        case .empty: .empty
        case .opaque(let type, _): type
        }
    }

    /// The type of what the receiver is told: of the message in an envelope of forward security, if it is known; of
    /// any other message its own. Flags, nickname and profile picture depend on it.
    public var innerType: MessageType {
        if case .forwardSecurity(_, let inner?) = self { return inner }
        return type
    }

    /// Whether the nonce of this message has to be remembered.
    public var needsReplayProtection: Bool {
        switch self {
        case .chat(.deliveryReceipt(let receipt)), .groupChat(_, .deliveryReceipt(let receipt)):
            receipt.needsReplayProtection
        case .chat, .groupChat, .typing, .profilePicture, .requestProfilePicture, .groupSetup, .groupName,
            .groupPicture, .groupSyncRequest, .groupLeave, .groupCallStart, .forwardSecurity, .empty, .opaque:
            type.needsReplayProtection
        }
    }
}
