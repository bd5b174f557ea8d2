import Encodings
import Primitives
import SecureMemory
import Threema
import ThreemaMessages

/// Operations of sealed messages. Nonce and padding are drawn inside of `Message.seal`, so an expected payload is
/// opened, and its boxes are computed with `Box` from the plaintexts that the vector states.
enum Payload {
    static func encode(_ check: inout Check) throws {
        let inputs = check.inputs
        var payload = try blank(from: inputs.id("from"), to: inputs.id("to"))
        let id = try inputs.bytes("messageId", count: MessageID.count)
        payload.id = MessageID(bytes: id.span)
        payload.createdAt = UInt32(try inputs.integer("createdAt", in: 0...Int64(UInt32.max)))
        payload.flags = MessageFlags(rawValue: UInt8(try inputs.integer("flags", in: 0...255)))
        let name = Array(try inputs.text("legacyNickname").utf8)
        guard name.count <= MessagePayload.nicknameCount else {
            throw CheckError.malformed("input legacyNickname", "at most \(MessagePayload.nicknameCount) bytes")
        }
        payload.legacyNickname = name + [UInt8](repeating: 0, count: MessagePayload.nicknameCount - name.count)
        payload.metadataBox = try inputs.bytes("metadataBox")
        guard payload.metadataBox.count <= UInt16.max else {
            throw CheckError.malformed("input metadataBox", "at most \(UInt16.max) bytes")
        }
        payload.nonce = MessageNonce(try inputs.bytes("nonce", count: MessageNonce.count))
        payload.messageBox = try inputs.bytes("box")
        let encoded = payload.encoded
        try check.compare("encoded", encoded)
        if try MessagePayload(decoding: encoded.span) != payload { check.require("decoded", false) }
    }

    static func nonceHash(_ check: inout Check) throws {
        let nonce = MessageNonce(try check.inputs.bytes("nonce", count: MessageNonce.count))
        try check.compare("hashedNonce", nonce.digest(for: try check.inputs.id("identity")).bytes)
    }

    static func open(_ check: inout Check) throws {
        let bytes = try check.inputs.bytes("payload")
        let payload = try MessagePayload(decoding: bytes.span)
        // The fields that the server sees.
        if check.inputs.has("receiverIdentity") {
            check.require("receiverIdentity", try payload.receiver == check.inputs.id("receiverIdentity"))
        }
        if check.inputs.has("senderIdentity") {
            check.require("senderIdentity", try payload.sender == check.inputs.id("senderIdentity"))
        }
        check.compare("sender", payload.sender.text)
        check.compare("receiver", payload.receiver.text)
        try check.compare("messageId", payload.id.bytes)
        check.compare("createdAt", payload.createdAt)
        check.compare("flags", payload.flags.rawValue)
        check.compare("reserved", bytes[29])
        check.compare("metadataLength", payload.metadataBox.count)
        try check.compare("legacyNicknameField", payload.legacyNickname)
        try check.compare("nonce", payload.nonce.bytes)
        try check.compare("metadataBox", payload.metadataBox)
        try check.compare("messageBox", payload.messageBox)
        let shared = try Primitive.sharedKey(check.inputs, "receiverClientKey", "senderPublicKey")
        try compareBoxes(&check, payload, shared: shared)

        let keys = try ContactKeys(
            own: check.inputs.clientKey("receiverClientKey"), contact: check.inputs.publicKey("senderPublicKey"))
        let message = try payload.open(keys: keys)
        check.compare("createdAtMs", message.createdAt.milliseconds)
        check.compare("type", message.body.type.rawValue)
        switch message.nickname {
        case .unchanged: check.compare("nickname", nil as String?)
        case .removed: check.compare("nickname", "")
        case .set(let text): check.compare("nickname", text)
        }
        if bytes[29] == 0, payload.encoded != bytes { check.require("payload", false) }
    }

    /// Keys and plaintexts, by the primitives alone.
    private static func compareBoxes(
        _ check: inout Check, _ payload: MessagePayload, shared: borrowing SecureBytes
    ) throws {
        try check.compare("sharedSecret", shared)
        let metadataKey = metadataKey(shared)
        try check.compare("mmk", metadataKey)
        if !payload.metadataBox.isEmpty {
            let metadata = try Box.open(
                payload.metadataBox.span, nonce: payload.nonce.bytes, sharedKey: metadataKey)
            try check.compare("metadataPlain", metadata)
        }
        let container = try Box.open(payload.messageBox.span, nonce: payload.nonce.bytes, sharedKey: shared)
        try check.compare("containerPlain", container)
        let padding = container.withBytes { $0.isEmpty ? 0 : Int($0[$0.count - 1]) }
        check.compare("padLength", padding)
        guard container.count > padding else { return }
        let body = container.withBytes { bytes in (1..<bytes.count - padding).map { bytes[$0] } }
        try check.compare("body", body)
        check.compare("bodyText", String(decoding: body, as: UTF8.self))
    }

    /// The key of the metadata box.
    static func metadataKey(_ shared: borrowing SecureBytes) -> SecureBytes {
        BLAKE2b.deriveKey(from: shared, salt: "mm", personal: "3ma-csp")
    }

    /// A payload without boxes, to be filled.
    static func blank(from sender: ThreemaID, to receiver: ThreemaID) throws -> MessagePayload {
        let rest = [UInt8](repeating: 0, count: 48 + MessageNonce.count)
        let bytes = sender.bytes + receiver.bytes + rest
        return try MessagePayload(decoding: bytes.span)
    }
}
