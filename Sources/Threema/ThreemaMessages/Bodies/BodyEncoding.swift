package import SecureMemory
internal import Threema

extension MessageBody {
    /// Type, body and padding: what a message box is sealed over.
    /// - Parameter randomPadding: 1...255.
    /// - Throws: what the body's form cannot hold or its limits forbid.
    package func container(randomPadding: Int) throws(MessageBodyError) -> SecureBytes {
        var writer = BodyWriter(type, most: mostBytes)
        try encode(into: &writer)
        return writer.finish(randomPadding: randomPadding)
    }

    /// Longest body of this message, in bytes. Most messages are short texts, which need one page of guarded memory.
    private var mostBytes: Int {
        switch self {
        case .chat(.text(let text)): min(text.utf8.count, MessageLimits.textBytes)
        case .groupChat(_, .text(let text)): GroupIdentity.count + min(text.utf8.count, MessageLimits.textBytes)
        case .chat, .groupChat, .typing, .profilePicture, .requestProfilePicture, .groupSetup, .groupName,
            .groupPicture, .groupSyncRequest, .groupLeave, .groupCallStart, .forwardSecurity, .empty, .opaque:
            MessageLimits.bodyBytes
        }
    }

    private func encode(into body: inout BodyWriter) throws(MessageBodyError) {
        switch self {
        case .chat(let content): try content.encode(into: &body, isInGroup: false)
        case .groupChat(let group, let content):
            try body.append(group.bytes)
            try content.encode(into: &body, isInGroup: true)
        case .typing(let isTyping): try body.append(isTyping ? 1 : 0)
        case .profilePicture(let picture): try picture?.encode(into: &body)
        case .groupSetup(let group, let members):
            guard members.count < MessageLimits.groupMembers else {
                throw .tooLong(limit: MessageLimits.groupMembers - 1, actual: members.count)
            }
            try body.append(group.bytes)
            for member in members { try body.append(member.bytes) }
        case .groupName(let group, let name):
            try body.append(group.bytes)
            try TextBody.encode(name, into: &body)
        case .groupPicture(let group, let picture):
            try body.append(group.bytes)
            try picture?.encode(into: &body)
        case .groupSyncRequest(let group): try body.append(group.bytes)
        case .groupLeave(let group): try body.append(group.bytes)
        case .groupCallStart(let group, let start):
            try body.append(group.bytes)
            try start.encode(into: &body)
        case .forwardSecurity(let bytes, _): try body.append(bytes)
        case .opaque(_, let bytes): try body.append(bytes)
        case .requestProfilePicture, .empty: break
        }
    }
}
