import Encodings
import Primitives
import SecureMemory
import Threema
import ThreemaWeb

/// Operations of the web client's pairing.
enum Web {
    static func pairingPayload(_ check: inout Check) throws {
        let bytes = try check.inputs.bytes("payload")
        let payload = try PairingPayload(decoding: bytes.span)
        check.require("payload", payload.encoded.equals(bytes))
        if check.inputs.has("payloadBase64") {
            let code = Array(try check.inputs.text("payloadBase64").utf8)
            check.require("payloadBase64", try PairingPayload(code: code.span) == payload && payload.code.equals(code))
        }
        try check.compare("initiatorPermanentPublicKey", payload.initiatorKey.bytes)
        try check.compare("authToken", payload.token.bytes)
        if let serverKey = payload.server.key {
            try check.compare("serverPublicKey", serverKey.bytes)
        } else {
            check.compare("serverPublicKey", JSONValue.null)
        }
        check.compare("host", payload.server.host)
        check.compare("port", payload.server.port)
        check.compare("protocolVersion", payload.version)
        check.compare("options", payload.options.rawValue)
        check.compare("selfHosted", .bool(payload.options.contains(.selfHosted)))
        check.compare("permanent", .bool(payload.options.contains(.permanent)))
    }

    static func pushHash(_ check: inout Check) throws {
        let session = PushSession(initiatorKey: try check.inputs.publicKey("initiatorPublicKey"))
        check.compare("session", session.hex)
        check.compare("collapseKey", session.collapseKey)
    }

    /// The public function seals with a random nonce, so the stated store is sealed from its parts, and opened; and what
    /// is sealed is opened, too.
    static func trustedKeyStore(_ check: inout Check) throws {
        let inputs = check.inputs
        let password = Array(try inputs.text("password").utf8)
        let key = try BrowserStore.key(password: SecureBytes(copying: password.span))
        let pairing = TrustedPairing(
            key: PermanentKey(try inputs.secret("ownSecretKey")), peer: try inputs.publicKey("peerPublicKey"),
            pushToken: try pushToken(inputs), server: nil)
        if inputs.has("ownPublicKey") {
            check.require("ownPublicKey", try inputs.publicKey("ownPublicKey") == pairing.key.publicKey)
        }
        let plaintext = pairing.encoded
        let nonce = try inputs.bytes("nonce", count: SecretBox.nonceCount)
        let box = key.withBytes { key in plaintext.withBytes { SecretBox.seal($0, nonce: nonce, key: key) } }
        let stored = hex(nonce) + ":" + hex(box)
        // A single value is the text that the browser has.
        check.compare("stored", stored)
        try check.compare("key", key)
        try check.compare("plaintext", plaintext)
        let opened = try BrowserStore.open(stored, password: SecureBytes(copying: password.span))
        check.require("opened", opened.encoded.equals(plaintext))
        let sealed = try BrowserStore.seal(pairing, password: SecureBytes(copying: password.span))
        let again = try BrowserStore.open(sealed, password: SecureBytes(copying: password.span))
        check.require("sealed", again.encoded.equals(plaintext) && sealed.utf8.count == stored.utf8.count)
    }

    /// Nil without a token.
    private static func pushToken(_ inputs: Fields) throws -> WebPushToken? {
        guard inputs.has("pushToken"), inputs["pushToken"] != .null else { return nil }
        let hasPrefix = inputs.has("pushTokenPrefix") && inputs["pushTokenPrefix"] != .null
        let kind = hasPrefix ? try inputs.text("pushTokenPrefix") + ":" : ""
        guard let token = WebPushToken(stored: kind + (try inputs.text("pushToken"))) else {
            throw CheckError.malformed("input pushToken", "a push token")
        }
        return token
    }

    static func tokenMessage(_ check: inout Check) throws {
        let inputs = check.inputs
        let sequence = UInt64(try inputs.integer("overflow", in: 0...0xffff)) << 32
        let nonce = SignalingNonce(
            cookie: SignalingCookie(try inputs.bytes("cookie", count: SignalingCookie.count)),
            source: UInt8(try inputs.integer("source", in: 0...255)),
            destination: UInt8(try inputs.integer("destination", in: 0...255)),
            sequence: sequence | UInt64(try inputs.integer("sequence", in: 0...0xffff_ffff)))
        let key = try inputs.publicKey("responderPermanentPublic")
        let token = AuthToken(try inputs.secret("authToken"))
        let message = TokenMessage.seal(key, nonce: nonce, token: token)
        try check.compare("message", message)
        try check.compare("msgpack", TokenMessage.plaintext(key))
        try check.compare("nonce", nonce.bytes)
        let opened = try TokenMessage.open(message.span, token: token)
        check.require("opened", opened == (nonce, key))
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
