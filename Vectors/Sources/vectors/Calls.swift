import Primitives
import SecureMemory
import Threema
import ThreemaCalls
import ThreemaMessages

/// Operations of calls.
enum Calls {
    static func derivations(_ check: inout Check) throws {
        let inputs = check.inputs
        let contact = try ContactKeys(
            own: inputs.clientKey("senderSecretKey"), contact: inputs.publicKey("receiverPublicKey"))
        let keys = CallKeys(try enclosed(inputs, "gck"))
        try check.compare("gckh", keys.hash)
        try check.compare("gchk", keys.hello)
        try check.compare("gcsk", keys.state)
        try check.compare("gcnhak", keys.authentication(with: contact))
        try check.compare("gcamk", keys.admin(inputs.secret("gcak")))
        let key = MediaKey(epoch: 0, ratchet: 0, key: try enclosed(inputs, "pcmk"))
        let next = try key.ratcheted()
        try check.compare("pcmkRatchet1", next.key.bytes)
        try check.compare("pcmkRatchet2", next.ratcheted().key.bytes)
        try check.compare("pcmfk0", key.frameKey(keys))
        try check.compare("pcmfk1", next.frameKey(keys))
    }

    static func id(_ check: inout Check) throws {
        let inputs = check.inputs
        let group = GroupIdentity(
            creator: try inputs.id("creator"), id: GroupID(try inputs.bytes("groupId", count: GroupID.count)))
        let start = GroupCallStart(
            protocolVersion: UInt32(try inputs.integer("protocolVersion", in: 0...Int64(UInt32.max))),
            key: try enclosed(inputs, "gck"), serverURL: try inputs.text("sfuBaseUrl"))
        try check.compare("callId", try GroupCallID(of: start, in: group).bytes)
    }

    static func frame(_ check: inout Check) throws {
        let inputs = check.inputs
        let codec = try codec(inputs)
        let footer = MediaFrame.Footer(
            epoch: UInt8(try inputs.integer("epoch", in: 0...255)),
            ratchet: UInt8(try inputs.integer("ratchetCounter", in: 0...255)),
            counter: UInt32(try inputs.integer("mfsn", in: 0...Int64(UInt32.max))))
        let frame = try inputs.bytes("frame")
        let cipher = FrameCipher(key: try inputs.secret("pcmfk"))
        let sealed = try MediaFrame.seal(frame.span, codec, footer, cipher: cipher)
        try check.compare("encrypted", sealed)
        check.compare("clearHeaderLength", try MediaFrame.clearHeaderCount(codec, frame.span))
        let opened = try MediaFrame.open(sealed.span, codec, cipher: cipher)
        if opened != frame { check.require("opened", false) }
    }

    private static func codec(_ inputs: Fields) throws -> MediaFrame.Codec {
        switch try inputs.text("codec") {
        case "opus": .opus
        case "vp8": .vp8
        default: throw CheckError.malformed("input codec", "opus or vp8")
        }
    }

    static func patch(_ check: inout Check) throws {
        check.compare("patched", try SDPPolicy.oneToOne.patch(try check.inputs.text("sdp")))
    }

    static func handshake(_ check: inout Check) throws {
        let inputs = check.inputs
        let keys = CallKeys(try enclosed(inputs, "gck"))
        let hello = try inputs.bytes("helloEnvelope")
        let helloNonce = try inputs.bytes("helloNonce", count: SecretBox.nonceCount)
        let sealedHello = keys.hello.withBytes { SecretBox.sealWithNonce(hello.span, nonce: helloNonce, key: $0) }
        try compare(&check, "helloEncrypted", sealedHello)

        let bob = try inputs.clientKey("bobCk")
        let contact = try ContactKeys(own: bob, contact: inputs.clientKey("aliceCk").publicKey)
        let authentication = keys.authentication(with: contact)
        try check.compare("gcnhak", authentication)
        let auth = try inputs.bytes("authEnvelopeFromBob")
        let authNonce = try inputs.bytes("authInnerNonce", count: SecretBox.nonceCount)
        let inner = authentication.withBytes { SecretBox.sealWithNonce(auth.span, nonce: authNonce, key: $0) }
        try compare(&check, "authInner", inner)

        let challenge = try inputs.bytes("bobPcck", count: 16)
        let peer = try inputs.clientKey("alicePckSecret").publicKey
        let session = try inputs.secret("bobPckSecret").withBytes {
            try Box.sharedKey(privateKey: $0, publicKey: peer.bytes.span)
        }
        let outer = Box.seal(inner.span, nonce: challenge + [1, 0, 0, 0, 0, 0, 0, 0], sharedKey: session)
        try check.compare("authOuter", outer)
    }

    /// Compares nonce ‖ box with an expected result, which may lack the nonce: that is an input.
    private static func compare(_ check: inout Check, _ name: String, _ sealed: [UInt8]) throws {
        guard check.isExpected(name) else { return }
        let wanted = try check.expected.bytes(name)
        check.note(name, wanted == sealed || wanted == Array(sealed.dropFirst(SecretBox.nonceCount)))
    }

    private static func enclosed(_ inputs: Fields, _ name: String) throws -> EnclosedKey {
        EnclosedKey(try inputs.secret(name))
    }
}
