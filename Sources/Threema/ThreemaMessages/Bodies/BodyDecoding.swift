internal import SecureMemory
internal import Threema

extension MessageBody {
    /// Reads the body of a type, with what stands before it. Each type is named: a new one does not compile until it is
    /// decided what its body means.
    package init(_ type: MessageType, decoding bytes: Span<UInt8>) throws(MessageBodyError) {
        // What stands behind the group; empty if not even that is there.
        let ofCreator = bytes.extracting(droppingFirst: GroupID.count)
        let ofMember = bytes.extracting(droppingFirst: GroupIdentity.count)
        switch type {
        case .text: self = try Self.chat(.text, bytes)
        case .location: self = try Self.chat(.location, bytes)
        case .image: self = try Self.chat(.image, bytes)
        case .video: self = try Self.chat(.video, bytes)
        case .audio: self = try Self.chat(.audio, bytes)
        case .file: self = try Self.chat(.file, bytes)
        case .pollSetup: self = try Self.chat(.pollSetup, bytes)
        case .pollVote: self = try Self.chat(.pollVote, bytes)
        case .deliveryReceipt: self = try Self.chat(.deliveryReceipt, bytes)
        case .reaction: self = try Self.chat(.reaction, bytes)
        case .edit: self = try Self.chat(.edit, bytes)
        case .delete: self = try Self.chat(.delete, bytes)
        case .groupText: self = try Self.groupChat(.text, bytes)
        case .groupLocation: self = try Self.groupChat(.location, bytes)
        case .groupImage: self = try Self.groupChat(.image, bytes)
        case .groupVideo: self = try Self.groupChat(.video, bytes)
        case .groupAudio: self = try Self.groupChat(.audio, bytes)
        case .groupFile: self = try Self.groupChat(.file, bytes)
        case .groupPollSetup: self = try Self.groupChat(.pollSetup, bytes)
        case .groupPollVote: self = try Self.groupChat(.pollVote, bytes)
        case .groupDeliveryReceipt: self = try Self.groupChat(.deliveryReceipt, bytes)
        case .groupReaction: self = try Self.groupChat(.reaction, bytes)
        case .groupEdit: self = try Self.groupChat(.edit, bytes)
        case .groupDelete: self = try Self.groupChat(.delete, bytes)
        case .typing: self = .typing(try Self.flag(bytes))
        case .setProfilePicture: self = .profilePicture(try PictureMessage(decoding: bytes))
        case .deleteProfilePicture: self = try Self.nothing(bytes, .profilePicture(nil))
        case .requestProfilePicture: self = try Self.nothing(bytes, .requestProfilePicture)
        case .forwardSecurity: self = .forwardSecurity(bytes.revealBytes())
        case .empty: self = try Self.nothing(bytes, .empty)
        case .callOffer, .callAnswer, .callCandidate, .callHangup, .callRinging, .workDelta, .webSessionResume:
            self = .opaque(type, EnclosedBytes(copying: bytes))
        case .groupSetup: self = .groupSetup(try GroupID(decoding: bytes), members: try Self.members(ofCreator))
        case .groupName: self = .groupName(try GroupID(decoding: bytes), try TextBody.decode(ofCreator))
        case .groupSetPicture:
            self = .groupPicture(try GroupID(decoding: bytes), try PictureMessage(decoding: ofCreator))
        case .groupDeletePicture:
            let group = try GroupID(decoding: bytes)
            self = try Self.nothing(ofCreator, .groupPicture(group, nil))
        case .groupSyncRequest:
            let group = try GroupID(decoding: bytes)
            self = try Self.nothing(ofCreator, .groupSyncRequest(group))
        case .groupCallStart:
            let group = try GroupIdentity(decoding: bytes)
            self = .groupCallStart(group, try GroupCallStart(decoding: ofMember))
        case .groupLeave:
            let group = try GroupIdentity(decoding: bytes)
            self = try Self.nothing(ofMember, .groupLeave(group))
        }
    }

    private static func chat(_ kind: ChatKind, _ bytes: Span<UInt8>) throws(MessageBodyError) -> MessageBody {
        .chat(try ChatContent(kind, decoding: bytes, isInGroup: false))
    }

    private static func groupChat(_ kind: ChatKind, _ bytes: Span<UInt8>) throws(MessageBodyError) -> MessageBody {
        let group = try GroupIdentity(decoding: bytes)
        let rest = bytes.extracting(droppingFirst: GroupIdentity.count)
        return .groupChat(group, try ChatContent(kind, decoding: rest, isInGroup: true))
    }

    private static func flag(_ bytes: Span<UInt8>) throws(MessageBodyError) -> Bool {
        guard bytes.count == 1 else { throw .wrongLength(expected: 1, actual: bytes.count) }
        guard bytes[0] <= 1 else { throw .invalidValue }
        return bytes[0] == 1
    }

    /// Setup: IDs of 8 bytes each.
    private static func members(_ bytes: Span<UInt8>) throws(MessageBodyError) -> [ThreemaID] {
        let rest = bytes.count % ThreemaID.count
        guard rest == 0 else { throw .wrongLength(expected: bytes.count - rest, actual: bytes.count) }
        let count = bytes.count / ThreemaID.count
        guard count < MessageLimits.groupMembers else {
            throw .tooLong(limit: MessageLimits.groupMembers - 1, actual: count)
        }
        guard let members = [ThreemaID](decoding: bytes) else { throw .invalidID }
        return members
    }

    /// - Throws: `.wrongLength` unless the body is empty.
    private static func nothing(_ bytes: Span<UInt8>, _ body: MessageBody) throws(MessageBodyError) -> MessageBody {
        guard bytes.isEmpty else { throw .wrongLength(expected: 0, actual: bytes.count) }
        return body
    }
}
