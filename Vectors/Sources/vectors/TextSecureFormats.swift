import Primitives
import Ratchet
import SecureMemory
import TextSecure

/// Operations of TextSecure's formats. What the library only seals with random numbers of its own, or only opens, is
/// computed with its primitives, and then opened.
enum TextSecureFormats {
    static func signalingEncrypt(_ check: inout Check) throws {
        let inputs = check.inputs
        let relay = try inputs.text("relay")
        guard let time = UInt64(try inputs.text("timestamp")) else {
            throw CheckError.malformed("input timestamp", "a number")
        }
        let message = try inputs.secret("message", count: nil)
        let signal = IncomingPushSignal(
            type: UInt32(try inputs.integer("type", in: 0...Int64(UInt32.max))), source: try inputs.text("source"),
            relay: relay.isEmpty ? nil : relay,
            destinations: try inputs.text("destinations").split(separator: ",").map(String.init),
            timestamp: MessageTime(time), message: HeldKey(message))
        let text = signal.encoded()
        try check.compare("protobuf", text)
        let key = try signalingKey(inputs)
        let iv = try inputs.bytes("iv", count: 16)
        let whole = padded(text)
        var payload = [1] + iv + Legacy.AESCBC.encrypt(whole.span, key: key.encryptionKey, iv: iv)
        payload += key.macKey.withBytes { HMACSHA256.authenticate(payload.span, key: $0) }[..<10]
        try check.compare("payload", payload)
        check.compare("payload_base64_unpadded", PushPayload.text(payload))
        check.require("payload", try PushPayload.open(payload.span, key: key).equals(text))
    }

    static func signalingReject(_ check: inout Check) throws {
        let payload = try check.inputs.bytes("payload")
        let key = try signalingKey(check.inputs)
        let isRefused = (try? PushPayload.open(payload.span, key: key)) == nil
        check.note("result", try check.expected.text("result").hasPrefix(isRefused ? "reject" : "accept"))
    }

    /// - Parameter check: its destinations are a list or text with commas, its timestamp is text or a number. `body` is
    ///   that of a message in plain text.
    static func signalingDecrypt(_ check: inout Check) throws {
        let payload = try check.inputs.bytes("payload")
        let text = try PushPayload.open(payload.span, key: signalingKey(check.inputs))
        try check.compare("plaintext", text)
        let signal = try text.withBytes { (text) throws(ContentError) in try IncomingPushSignal(parsing: text) }
        check.compare("type", signal.type ?? 0)
        check.compare("source", signal.source)
        check.compare("relay", signal.relay)
        if check.expected["destinations"]?.array != nil {
            check.compare("destinations", .array(signal.destinations.map { .string($0) }))
        } else {
            check.compare("destinations", signal.destinations.joined(separator: ","))
        }
        let time = signal.timestamp?.value ?? 0
        if case .number? = check.expected["timestamp"] {
            check.compare("timestamp", time)
        } else {
            check.compare("timestamp", String(time))
        }
        guard let message = signal.message else { return }
        try check.compare("message", message.bytes)
        guard signal.kind == .plainText else { return check.compare("body", .null) }
        check.compare("body", try message.bytes.withBytes { try PushMessageContent(parsing: $0) }.body)
    }

    static func directoryToken(_ check: inout Check) throws {
        let text = try check.inputs.text("number")
        let bytes = Array(text.utf8)
        let hash = Array(Legacy.SHA1.hash(bytes.span)[..<DirectoryToken.count])
        try check.compare("token_bytes", hash)
        guard let token = DirectoryToken(text: try check.expected.text("token")) else {
            return check.note("token", false)
        }
        check.note("token", token.bytes == hash)
        if let number = AccountNumber(text) { check.require("token", DirectoryToken(number) == token) }
    }

    static func content(_ check: inout Check) throws {
        let attachments = try check.inputs.text("attachments").split(separator: ";").map { text in
            let parts = text.split(separator: ",").map(String.init)
            guard parts.count == 3, let id = UInt64(parts[0]) else {
                throw CheckError.malformed("input attachments", "a list of attachments")
            }
            let key = try Fields(value: .string(parts[2]), place: "input").secret("attachments", count: 64)
            return AttachmentPointer(id: id, contentType: parts[1], key: AttachmentKey(key))
        }
        let content = PushMessageContent(body: check.inputs["body"]?.string, attachments: attachments)
        let encoded = content.encoded()
        try check.compare("protobuf", encoded)
        let again = try encoded.withBytes { (bytes) throws(ContentError) in try PushMessageContent(parsing: bytes) }
        check.require("protobuf", again.encoded().equals(encoded))
    }

    static func attachment(_ check: inout Check) throws {
        let inputs = check.inputs
        guard let key = AttachmentKey(try inputs.secret("key", count: 64)) else {
            throw CheckError.malformed("input key", "a key")
        }
        let file = try inputs.secret("plaintext", count: nil)
        let iv = try inputs.bytes("iv", count: 16)
        let (first, second) = halves(key.held, at: 32)
        let whole = padded(file)
        var blob = iv + Legacy.AESCBC.encrypt(whole.span, key: first.bytes, iv: iv)
        blob += second.bytes.withBytes { HMACSHA256.authenticate(blob.span, key: $0) }
        try check.compare("blob", blob)
        check.compare("length", AttachmentBlob.count(fileCount: Int64(file.count)))
        check.require("blob", try open(blob, key).equals(file))
    }

    static func attachmentReject(_ check: inout Check) throws {
        let blob = try check.inputs.bytes("blob")
        guard let key = AttachmentKey(try check.inputs.secret("key", count: AttachmentKey.count)) else { return }
        let isRefused: Bool
        do throws(AttachmentError) {
            _ = try open(blob, key)
            isRefused = false
        } catch {
            isRefused = true
        }
        check.note("result", try check.expected.text("result").hasPrefix(isRefused ? "reject" : "accept"))
    }

    /// Both passes over a blob.
    private static func open(_ blob: [UInt8], _ key: AttachmentKey) throws(AttachmentError) -> SecureBytes {
        var pass = try AttachmentCheck(key: key, count: Int64(blob.count))
        try pass.read(blob.span)
        var opener = try pass.finish()
        var opened = SecureBuffer(capacity: blob.count)
        opened.append(try opener.open(blob.span))
        opened.append(try opener.finish())
        return opened.finish()
    }

    // MARK: Storage

    static func rncryptor(_ check: inout Check) throws {
        let inputs = check.inputs
        let password = Array(try inputs.text("password").utf8)
        let secret = try inputs.secret("master_key", count: MasterSecret.count)
        func key(_ salt: [UInt8]) -> SecureBytes {
            Legacy.PBKDF2SHA1.deriveKey(password: password.span, salt: salt, iterations: 10_000, count: 32)
        }
        let salts = (try inputs.bytes("encryption_salt", count: 8), try inputs.bytes("hmac_salt", count: 8))
        let iv = try inputs.bytes("iv", count: 16)
        var blob = [3, 1] + salts.0 + salts.1 + iv
        let whole = padded(secret)
        blob += Legacy.AESCBC.encrypt(whole.span, key: key(salts.0), iv: iv)
        blob += key(salts.1).withBytes { HMACSHA256.authenticate(blob.span, key: $0) }
        try check.compare("blob", blob)
        let opened = try RNCryptorBlob.open(blob.span, password: SecureBytes(copying: password.span))
        check.require("blob", opened.held.bytes.equals(secret))
    }

    static func masterCipher(_ check: inout Check) throws {
        let secret = try masterSecret(check.inputs)
        let text = try check.inputs.secret("plaintext", count: nil)
        let iv = try check.inputs.bytes("iv", count: 16)
        let (first, second) = halves(secret.held, at: 16)
        let whole = padded(text)
        var blob = iv + Legacy.AESCBC.encrypt(whole.span, key: first.bytes, iv: iv)
        blob += Legacy.HMACSHA1.authenticate(blob.span, key: second.bytes)
        try check.compare("blob", blob)
        check.require("blob", try secret.open(blob.span).equals(text))
    }

    /// The stated file is opened.
    static func android(_ check: inout Check) throws {
        let file = Array(try check.expected.text("file").utf8)
        let password = Array(try check.inputs.text("password").utf8)
        let secret = try masterSecret(check.inputs)
        let preferences = try AndroidPreferences(parsing: file.span)
        let opened = try? preferences.open(passphrase: SecureBytes(copying: password.span))
        check.note("file", opened?.held.bytes.equals(secret.held.bytes) ?? false)
    }

    // MARK: Parts

    private static func signalingKey(_ fields: Fields) throws -> SignalingKey {
        guard let key = SignalingKey(try fields.secret("signaling_key", count: SignalingKey.count)) else {
            throw CheckError.malformed("input signaling_key", "a key")
        }
        return key
    }

    private static func masterSecret(_ fields: Fields) throws -> MasterSecret {
        guard let secret = MasterSecret(try fields.secret("master_key", count: MasterSecret.count)) else {
            throw CheckError.malformed("input master_key", "a key")
        }
        return secret
    }

    private static func halves(_ key: HeldKey, at place: Int) -> (HeldKey, HeldKey) {
        key.bytes.withBytes { bytes in
            (
                HeldKey(SecureBytes(copying: bytes.extracting(0..<place))),
                HeldKey(SecureBytes(copying: bytes.extracting(place..<bytes.count)))
            )
        }
    }

    /// The padding of PKCS#7.
    private static func padded(_ text: borrowing SecureBytes) -> [UInt8] {
        let count = 16 - text.count % 16
        return text.revealBytes() + [UInt8](repeating: UInt8(count), count: count)
    }
}
