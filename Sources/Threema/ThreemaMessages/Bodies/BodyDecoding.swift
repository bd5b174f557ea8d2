internal import SecureMemory
internal import Threema

extension MessageBody {
    /// Reads the body of a type, with what stands before it.
    package init(_ type: MessageType, decoding bytes: Span<UInt8>) throws(MessageBodyError) {
        switch type.container {
        case .creator:
            let group = try GroupID(decoding: bytes)
            self = try Self.ofCreator(type, group, bytes.extracting(GroupID.count..<bytes.count))
        case .member:
            let group = try GroupIdentity(decoding: bytes)
            self = try Self.ofMember(type, group, bytes.extracting(GroupIdentity.count..<bytes.count))
        case .none: self = try Self.direct(type, bytes)
        }
    }

    private static func direct(_ type: MessageType, _ bytes: Span<UInt8>) throws(MessageBodyError) -> MessageBody {
        if let kind = ChatKind(type) {
            return .chat(try ChatContent(kind, decoding: bytes, isInGroup: false))
        }
        switch type {
        case .typing:
            guard bytes.count == 1 else { throw .wrongLength(expected: 1, actual: bytes.count) }
            guard bytes[0] <= 1 else { throw .invalidValue }
            return .typing(bytes[0] == 1)
        case .setProfilePicture: return .profilePicture(try PictureMessage(decoding: bytes))
        case .deleteProfilePicture: return try nothing(bytes, .profilePicture(nil))
        case .requestProfilePicture: return try nothing(bytes, .requestProfilePicture)
        case .forwardSecurity: return .forwardSecurity(bytes.revealBytes())
        case .empty: return try nothing(bytes, .empty)
        default: return .opaque(type, EnclosedBytes(copying: bytes))
        }
    }

    private static func ofCreator(
        _ type: MessageType, _ group: GroupID, _ bytes: Span<UInt8>
    ) throws(MessageBodyError) -> MessageBody {
        switch type {
        case .groupSetup: return .groupSetup(group, members: try members(bytes))
        case .groupName: return .groupName(group, try TextBody.decode(bytes))
        case .groupSetPicture: return .groupPicture(group, try PictureMessage(decoding: bytes))
        case .groupDeletePicture: return try nothing(bytes, .groupPicture(group, nil))
        default: return try nothing(bytes, .groupSyncRequest(group))
        }
    }

    private static func ofMember(
        _ type: MessageType, _ group: GroupIdentity, _ bytes: Span<UInt8>
    ) throws(MessageBodyError) -> MessageBody {
        if let kind = ChatKind(type) {
            return .groupChat(group, try ChatContent(kind, decoding: bytes, isInGroup: true))
        }
        if type == .groupCallStart { return .groupCallStart(group, try GroupCallStart(decoding: bytes)) }
        return try nothing(bytes, .groupLeave(group))
    }

    /// Setup: IDs of 8 bytes each.
    private static func members(_ bytes: Span<UInt8>) throws(MessageBodyError) -> [ThreemaID] {
        let rest = bytes.count % ThreemaID.count
        guard rest == 0 else { throw .wrongLength(expected: bytes.count - rest, actual: bytes.count) }
        let count = bytes.count / ThreemaID.count
        guard count < MessageLimits.groupMembers else {
            throw .tooLong(limit: MessageLimits.groupMembers - 1, actual: count)
        }
        var members: [ThreemaID] = []
        for start in stride(from: 0, to: bytes.count, by: ThreemaID.count) {
            guard let id = try? ThreemaID(bytes: bytes.extracting(start..<start + ThreemaID.count)) else {
                throw .invalidID
            }
            members.append(id)
        }
        return members
    }

    /// - Throws: `.wrongLength` unless the body is empty.
    private static func nothing(_ bytes: Span<UInt8>, _ body: MessageBody) throws(MessageBodyError) -> MessageBody {
        guard bytes.isEmpty else { throw .wrongLength(expected: 0, actual: bytes.count) }
        return body
    }
}
