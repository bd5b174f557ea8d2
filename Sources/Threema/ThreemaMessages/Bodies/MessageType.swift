/// The types of messages, as the first byte of a container names them. 0xff is refused always; other codes are unknown.
public enum MessageType: UInt8, CaseIterable, Sendable {
    // Between two people.
    case text = 0x01
    case image = 0x02
    case location = 0x10
    case video = 0x13
    case audio = 0x14
    case pollSetup = 0x15
    case pollVote = 0x16
    case file = 0x17
    case setProfilePicture = 0x18
    case deleteProfilePicture = 0x19
    case requestProfilePicture = 0x1a
    case callOffer = 0x60
    case callAnswer = 0x61
    case callCandidate = 0x62
    case callHangup = 0x63
    case callRinging = 0x64
    case deliveryReceipt = 0x80
    case reaction = 0x82
    case typing = 0x90
    case edit = 0x91
    case delete = 0x92

    // In groups.
    case groupText = 0x41
    case groupLocation = 0x42
    case groupImage = 0x43
    case groupVideo = 0x44
    case groupAudio = 0x45
    case groupFile = 0x46
    case groupSetup = 0x4a
    case groupName = 0x4b
    case groupLeave = 0x4c
    case groupCallStart = 0x4f
    case groupSetPicture = 0x50
    case groupSyncRequest = 0x51
    case groupPollSetup = 0x52
    case groupPollVote = 0x53
    case groupDeletePicture = 0x54
    case groupDeliveryReceipt = 0x81
    case groupReaction = 0x83
    case groupEdit = 0x93
    case groupDelete = 0x94

    // Of protocols.
    case forwardSecurity = 0xa0
    case empty = 0xfc
    case workDelta = 0xfd
    case webSessionResume = 0xfe

    /// What stands before the body, and says which group is meant.
    public enum Container: Sendable {
        /// Nothing: the message is between two people.
        case none
        /// Group ID; the creator is sender or receiver.
        case creator
        /// Creator and group ID.
        case member
    }

    /// What stands before the body.
    ///
    /// A sync request is in a creator container: so the apps have it. The steps of the specification say otherwise.
    public var container: Container {
        switch self {
        case .groupSetup, .groupName, .groupSetPicture, .groupDeletePicture, .groupSyncRequest: .creator
        case .groupText, .groupLocation, .groupImage, .groupVideo, .groupAudio, .groupFile, .groupLeave,
            .groupCallStart, .groupPollSetup, .groupPollVote, .groupDeliveryReceipt, .groupReaction, .groupEdit,
            .groupDelete:
            .member
        case .text, .image, .location, .video, .audio, .pollSetup, .pollVote, .file, .setProfilePicture,
            .deleteProfilePicture, .requestProfilePicture, .callOffer, .callAnswer, .callCandidate, .callHangup,
            .callRinging, .deliveryReceipt, .reaction, .typing, .edit, .delete, .forwardSecurity, .empty, .workDelta,
            .webSessionResume:
            .none
        }
    }

    /// The flags that a message of this type has, unless its sender wants others.
    public var defaultFlags: MessageFlags {
        switch self {
        case .callOffer, .callAnswer, .callCandidate, .callRinging: [.push, .shortLived]
        case .callHangup: .push
        case .typing: [.noServerQueue, .noServerAcknowledgement]
        case .webSessionResume: .shortLived
        case .text, .image, .location, .video, .audio, .pollSetup, .file, .reaction, .edit, .delete, .groupText,
            .groupLocation, .groupImage, .groupVideo, .groupAudio, .groupFile, .groupCallStart, .groupPollSetup,
            .groupReaction, .groupEdit, .groupDelete:
            .push
        case .pollVote, .setProfilePicture, .deleteProfilePicture, .requestProfilePicture, .deliveryReceipt,
            .groupSetup, .groupName, .groupLeave, .groupSetPicture, .groupSyncRequest, .groupPollVote,
            .groupDeletePicture, .groupDeliveryReceipt, .forwardSecurity, .empty, .workDelta:
            []
        }
    }

    /// Whether a person reads the message, or sees what it does, in a conversation.
    public var isConversation: Bool {
        switch self {
        case .text, .image, .location, .video, .audio, .file, .pollSetup, .reaction, .edit, .delete, .groupText,
            .groupLocation, .groupImage, .groupVideo, .groupAudio, .groupFile, .groupPollSetup, .groupCallStart,
            .groupReaction, .groupEdit, .groupDelete:
            true
        case .pollVote, .setProfilePicture, .deleteProfilePicture, .requestProfilePicture, .callOffer, .callAnswer,
            .callCandidate, .callHangup, .callRinging, .deliveryReceipt, .typing, .groupSetup, .groupName,
            .groupLeave, .groupSetPicture, .groupSyncRequest, .groupPollVote, .groupDeletePicture,
            .groupDeliveryReceipt, .forwardSecurity, .empty, .workDelta, .webSessionResume:
            false
        }
    }

    /// Whether the message takes the sender's nickname along: here that is every message of a conversation.
    public var distributesProfile: Bool { isConversation }

    /// Whether the nonce has to be remembered. Receiving one of the others twice does no harm.
    public var needsReplayProtection: Bool {
        switch self {
        case .typing, .callCandidate, .deliveryReceipt, .groupDeliveryReceipt: false
        case .text, .image, .location, .video, .audio, .pollSetup, .pollVote, .file, .setProfilePicture,
            .deleteProfilePicture, .requestProfilePicture, .callOffer, .callAnswer, .callHangup, .callRinging,
            .reaction, .edit, .delete, .groupText, .groupLocation, .groupImage, .groupVideo, .groupAudio, .groupFile,
            .groupSetup, .groupName, .groupLeave, .groupCallStart, .groupSetPicture, .groupSyncRequest,
            .groupPollSetup, .groupPollVote, .groupDeletePicture, .groupReaction, .groupEdit, .groupDelete,
            .forwardSecurity, .empty, .workDelta, .webSessionResume:
            true
        }
    }

    /// The one sender that may send this type; nil if everybody may.
    public var onlySender: String? {
        switch self {
        case .workDelta: "*3MAW0RK"
        case .webSessionResume: "*3MAPUSH"
        case .text, .image, .location, .video, .audio, .pollSetup, .pollVote, .file, .setProfilePicture,
            .deleteProfilePicture, .requestProfilePicture, .callOffer, .callAnswer, .callCandidate, .callHangup,
            .callRinging, .deliveryReceipt, .reaction, .typing, .edit, .delete, .groupText, .groupLocation,
            .groupImage, .groupVideo, .groupAudio, .groupFile, .groupSetup, .groupName, .groupLeave, .groupCallStart,
            .groupSetPicture, .groupSyncRequest, .groupPollSetup, .groupPollVote, .groupDeletePicture,
            .groupDeliveryReceipt, .groupReaction, .groupEdit, .groupDelete, .forwardSecurity, .empty:
            nil
        }
    }
}
