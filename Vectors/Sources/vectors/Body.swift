import Encodings
import Primitives
import SecureMemory
import Threema
import ThreemaMessages

/// Operations of bodies and their padding. Their encoding is not public, and the padding is drawn inside: an expected
/// container is opened as part of a message, and its type and body are compared with those of a message sealed here.
enum Body {
    static func pad(_ check: inout Check) throws {
        let data = try check.inputs.bytes("data")
        // A body of this type is any bytes.
        let type = MessageType.audio.rawValue
        let container = [type] + (try check.expected.bytes("padded"))
        let body = MessageBody.chat(.opaque(.audio, EnclosedBytes(copying: data.span)))
        try compare(&check, "padded", container, body, typeAndBody: [type] + data)
    }

    static func groupMemberText(_ check: inout Check) throws {
        let creator = try check.inputs.id("creatorIdentity")
        let id = try check.inputs.bytes("groupId", count: GroupID.count)
        let text = try check.inputs.text("text")
        let container = try check.expected.bytes("container")
        let body = MessageBody.groupChat(GroupIdentity(creator: creator, id: GroupID(id)), .text(text))
        let plain = [MessageType.groupText.rawValue] + creator.bytes + id + Array(text.utf8)
        try compare(&check, "container", container, body, typeAndBody: plain)
    }

    static func groupSetup(_ check: inout Check) throws {
        let id = try check.inputs.bytes("groupId", count: GroupID.count)
        let members = try check.inputs.texts("members").map { try ThreemaID($0) }
        let container = try check.expected.bytes("container")
        let body = MessageBody.groupSetup(GroupID(id), members: members)
        let plain = [MessageType.groupSetup.rawValue] + id + members.flatMap(\.bytes)
        try compare(&check, "container", container, body, typeAndBody: plain)
    }

    static func decodeFileMessage(_ check: inout Check) throws {
        let json = Array(try check.inputs.text("json").utf8)
        let body = try opened([MessageType.file.rawValue] + json + [1])
        guard case .chat(.file(let file)) = body else { return check.require("type", false) }
        try check.compare("fileBlobId", file.blobID.bytes)
        try check.compare("key", file.key.bytes)
        check.compare("mediaType", file.mediaType)
        check.compare("name", file.name)
        check.compare("size", file.size)
        check.compare("thumbnailBlobId", file.thumbnail?.blobID.description)
        check.compare("caption", file.caption)
        check.compare("renderingType", file.rendering.rawValue)
    }

    /// Opens a container, seals the body, and compares both with what is expected.
    private static func compare(
        _ check: inout Check, _ name: String, _ container: [UInt8], _ body: MessageBody, typeAndBody: [UInt8]
    ) throws {
        let padding = try paddingCount(check.inputs, "randomPadLength", after: typeAndBody.count - 1)
        check.note(name, try opened(container) == body)
        check.note(name, container == typeAndBody + [UInt8](repeating: UInt8(padding), count: padding))
        check.note(name, try isSealed(body, as: typeAndBody))
    }

    /// Bytes of padding: the stated number, and so many that body and padding have 32 bytes.
    static func paddingCount(_ fields: Fields, _ name: String, after bodyCount: Int) throws -> Int {
        max(Int(try fields.integer(name, in: 1...255)), 32 - bodyCount)
    }

    /// Opens a container as the message box of a payload without metadata, between two random identities.
    /// - Parameter container: type ‖ body ‖ padding.
    /// - Throws: `MessageError`.
    static func opened(_ container: [UInt8]) throws -> MessageBody {
        let contact = ClientKey.random().publicKey
        let own = ClientKey.random()
        let shared = try own.bytes.withBytes { try Box.sharedKey(privateKey: $0, publicKey: contact.bytes.span) }
        var payload = try Payload.blank(from: .random(), to: .random())
        payload.nonce = MessageNonce(Random.bytes(MessageNonce.count))
        payload.messageBox = Box.seal(container.span, nonce: payload.nonce.bytes, sharedKey: shared)
        return try payload.open(keys: ContactKeys(own: own, contact: contact)).body
    }

    /// Whether a message with this body is sealed as these bytes and a valid padding.
    static func isSealed(_ body: MessageBody, as typeAndBody: [UInt8]) throws -> Bool {
        let contact = ClientKey.random().publicKey
        let own = ClientKey.random()
        let shared = try own.bytes.withBytes { try Box.sharedKey(privateKey: $0, publicKey: contact.bytes.span) }
        let message = Message(
            from: .random(), to: .random(), id: .random(), createdAt: Timestamp(milliseconds: 0), body: body)
        let keys = try ContactKeys(own: own, contact: contact)
        let payload = try message.seal(keys: keys, notIn: NoNonces()).payload
        let container = try Box.open(payload.messageBox.span, nonce: payload.nonce.bytes, sharedKey: shared)
        return container.withBytes { bytes in
            guard bytes.count > typeAndBody.count else { return false }
            let padding = Int(bytes[bytes.count - 1])
            return bytes.count == typeAndBody.count + padding
                && ConstantTime.areEqual(bytes.extracting(0..<typeAndBody.count), typeAndBody.span)
        }
    }
}
