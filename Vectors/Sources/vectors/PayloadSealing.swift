import Encodings
import Primitives
import SecureMemory
import Threema
import ThreemaMessages

extension Payload {
    static func seal(_ check: inout Check) throws {
        let inputs = check.inputs
        let id = try inputs.bytes("messageId", count: MessageID.count)
        let nickname = try inputs.text("nickname")
        let message = Message(
            from: try inputs.id("senderIdentity"), to: try inputs.id("receiverIdentity"), id: MessageID(bytes: id.span),
            createdAt: Timestamp(milliseconds: try inputs.integer("createdAtMs")),
            flags: MessageFlags(rawValue: UInt8(try inputs.integer("flags", in: 0...255))),
            nickname: nickname.isEmpty ? .removed : .set(nickname), body: .chat(.text(try inputs.text("text"))))
        let own = try inputs.clientKey("senderSecretKey")
        let contact = try inputs.publicKey("receiverPublicKey")
        let keys = try ContactKeys(own: own, contact: contact)
        if inputs.has("receiverSecretKey") {
            check.require("receiverPublicKey", try inputs.clientKey("receiverSecretKey").publicKey == contact)
        }

        let bytes = try check.expected.bytes("payload")
        let expected = try MessagePayload(decoding: bytes.span)
        check.note("payload", try expected.open(keys: keys) == message)
        check.require("nonce", try inputs.bytes("nonce", count: MessageNonce.count) == expected.nonce.bytes)
        // All but nonce and boxes is equal to a payload that is sealed here.
        var sealed = try message.seal(keys: keys, notIn: NoNonces()).payload
        check.require("metadataBox", sealed.metadataBox.count == expected.metadataBox.count)
        sealed.metadataBox = expected.metadataBox
        sealed.nonce = expected.nonce
        sealed.messageBox = expected.messageBox
        check.note("payload", sealed.encoded == bytes)
        try comparePlaintexts(&check, expected)
    }

    /// The boxes of a payload, computed from the plaintexts that the vector states.
    private static func comparePlaintexts(_ check: inout Check, _ payload: MessagePayload) throws {
        let inputs = check.inputs
        let shared = try Primitive.sharedKey(inputs, "senderSecretKey", "receiverPublicKey")
        if inputs.has("metadataPlain") {
            let plain = try inputs.bytes("metadataPlain")
            let box = Box.seal(plain.span, nonce: payload.nonce.bytes, sharedKey: metadataKey(shared))
            check.require("metadataPlain", box == payload.metadataBox)
        }
        if inputs.has("containerPlain") {
            let plain = try inputs.bytes("containerPlain")
            let box = Box.seal(plain.span, nonce: payload.nonce.bytes, sharedKey: shared)
            check.require("containerPlain", box == payload.messageBox)
        }
        if inputs.has("padLength") {
            let count = try Body.paddingCount(inputs, "padLength", after: inputs.text("text").utf8.count)
            let container = try Box.open(payload.messageBox.span, nonce: payload.nonce.bytes, sharedKey: shared)
            check.require("padLength", container.withBytes { $0.isEmpty ? false : Int($0[$0.count - 1]) == count })
        }
    }

    /// The public form takes a message, not plaintext: the box is computed with `Box`, and then opened in a payload.
    static func sealMetadata(_ check: inout Check) throws {
        let shared = try Primitive.sharedKey(check.inputs, "senderSecretKey", "receiverPublicKey")
        try check.compare("sharedSecret", shared)
        let key = metadataKey(shared)
        try check.compare("mmk", key)
        let nonce = try check.inputs.bytes("nonce", count: MessageNonce.count)
        let plain = try check.inputs.bytes("metadataPlain")
        let box = Box.seal(plain.span, nonce: nonce, sharedKey: key)
        try check.compare("box", box)

        var payload = try blank(from: .random(), to: .random())
        payload.nonce = MessageNonce(nonce)
        payload.metadataBox = box
        let container: [UInt8] = [MessageType.empty.rawValue, 1]
        payload.messageBox = Box.seal(container.span, nonce: nonce, sharedKey: shared)
        let keys = try ContactKeys(
            own: check.inputs.clientKey("senderSecretKey"), contact: check.inputs.publicKey("receiverPublicKey"))
        do throws(MessageError) {
            _ = try payload.open(keys: keys)
        } catch .idMismatch {
            // The metadata is authentic and well formed; it names another message than this one.
        }
    }
}

/// A memory without nonces: what is sealed here is not sent.
struct NoNonces: UsedNonces {
    func contains(_ digest: NonceDigest) throws(Never) -> Bool { false }
}
