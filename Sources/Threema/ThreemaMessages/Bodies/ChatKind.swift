/// The kinds of messages that exist both between two people and in groups, with the same body.
public enum ChatKind: CaseIterable, Sendable {
    case text, location, image, video, audio, file, pollSetup, pollVote, deliveryReceipt, reaction, edit, delete

    /// The type between two people.
    public var directType: MessageType {
        switch self {
        case .text: .text
        case .location: .location
        case .image: .image
        case .video: .video
        case .audio: .audio
        case .file: .file
        case .pollSetup: .pollSetup
        case .pollVote: .pollVote
        case .deliveryReceipt: .deliveryReceipt
        case .reaction: .reaction
        case .edit: .edit
        case .delete: .delete
        }
    }

    /// The type in a group.
    public var groupType: MessageType {
        switch self {
        case .text: .groupText
        case .location: .groupLocation
        case .image: .groupImage
        case .video: .groupVideo
        case .audio: .groupAudio
        case .file: .groupFile
        case .pollSetup: .groupPollSetup
        case .pollVote: .groupPollVote
        case .deliveryReceipt: .groupDeliveryReceipt
        case .reaction: .groupReaction
        case .edit: .groupEdit
        case .delete: .groupDelete
        }
    }
}
