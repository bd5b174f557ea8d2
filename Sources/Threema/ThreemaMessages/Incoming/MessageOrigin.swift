public import Threema

/// By what a message is recognised that was received before: the ID, and who is able to choose it.
public enum MessageOrigin: Hashable, Sendable {
    case contact(ThreemaID, MessageID)
    case group(GroupIdentity, MessageID)

    /// The name of a received message in a store: sender and ID, 16 bytes, or creator, group ID and ID, 24 bytes. Equal
    /// for equal origins only.
    public var bytes: [UInt8] {
        switch self {
        case .contact(let sender, let id): sender.bytes + id.bytes
        case .group(let group, let id): group.bytes + id.bytes
        }
    }
}

extension Message {
    /// The group that the message belongs to; nil for a message between two people.
    public var group: GroupIdentity? {
        switch body {
        case .groupChat(let group, _), .groupLeave(let group), .groupCallStart(let group, _): group
        case .groupSetup(let id, _), .groupName(let id, _), .groupPicture(let id, _):
            GroupIdentity(creator: sender, id: id)
        // Only its creator is asked for a group's state.
        case .groupSyncRequest(let id): GroupIdentity(creator: receiver, id: id)
        case .chat, .typing, .profilePicture, .requestProfilePicture, .forwardSecurity, .empty, .opaque: nil
        }
    }

    /// By what the message is recognised when it comes again.
    public var origin: MessageOrigin { group.map { .group($0, id) } ?? .contact(sender, id) }
}
