import Age
import Encodings
import Passwords
import Primitives
import Ratchet
import SecureMemory
import SophaxChat
import SophaxStorage
import Telegram
import TextSecure
import Threema
import ThreemaCalls

/// Checks of authentication codes, of PINs and of passwords, and comparisons of keys. AES of formats is in OpenSSL, with
/// tables; what it gives is as hidden as its key.
enum CheckCases {
    static var all: [Case] {
        [
            ("whisper-message", whisperMessage), ("attachment", attachment), ("push-payload", pushPayload),
            ("master-secret", masterSecret), ("stored-session", storedSession), ("age-file", ageFile),
            ("secretbox-stream", secretBoxStream), ("call-frame", callFrame), ("pin-lock", pinLock),
            ("password-strength", passwordStrength), ("comparisons", comparisons),
        ]
    }

    private static let message = Array("a message of more than 16 bytes".utf8)

    private static func key(_ count: Int, _ byte: UInt8 = 7) -> SecureBytes {
        Hidden.secret([UInt8](repeating: byte, count: count))
    }

    private static func isRefused(_ open: () throws -> Void) -> Bool { (try? open()) == nil }

    /// The code of a ratchet's message, in both versions.
    private static func whisperMessage() throws {
        let (own, peer) = (AgreementKey().publicKey, AgreementKey().publicKey)
        for version in SessionVersion.allCases {
            let held = HeldKey(key(version.keyCount))
            let sealed = try WhisperMessage.seal(
                message.span, version: version, key: held, ratchetKey: own, counter: 1, previousCounter: 0, from: own,
                to: peer)
            try expect(try sealed.open(held, from: own, to: peer).shown() == message, "the message")
            let other = HeldKey(key(version.keyCount, 8))
            try expect(isRefused { _ = try sealed.open(other, from: own, to: peer) }, "another key")
        }
    }

    private static func attachment() throws {
        guard let held = AttachmentKey(key(AttachmentKey.count)), let other = AttachmentKey(key(AttachmentKey.count, 8))
        else { return try expect(false, "a key") }
        var sealer = AttachmentSealer(key: held)
        var blob = sealer.beginning
        blob += try sealer.seal(message.span)
        blob += sealer.finish()
        var check = try AttachmentCheck(key: held, count: Int64(blob.count))
        try check.read(blob.span)
        var opener = try check.finish()
        var opened = try opener.open(blob.span).shown()
        opened += try opener.finish().shown()
        try expect(opened == message, "the file")
        var wrong = try AttachmentCheck(key: other, count: Int64(blob.count))
        try wrong.read(blob.span)
        do {
            _ = try wrong.finish()
            try expect(false, "another key")
        } catch AttachmentError.notAuthentic {}
    }

    private static func pushPayload() throws {
        guard let held = SignalingKey(key(SignalingKey.count)), let other = SignalingKey(key(SignalingKey.count, 8))
        else { return try expect(false, "a key") }
        let payload = PushPayload.seal(message.span, key: held)
        try expect(try PushPayload.open(payload.span, key: held).shown() == message, "the signal")
        try expect(isRefused { _ = try PushPayload.open(payload.span, key: other) }, "another key")
    }

    /// A value of a client's database, under HMAC-SHA-1.
    private static func masterSecret() throws {
        let iv = [UInt8](repeating: 1, count: Legacy.AESCBC.ivCount)
        var blob = iv + Legacy.PaddedCBC.seal(message.span, key: key(16), iv: iv)
        blob += Legacy.HMACSHA1.authenticate(blob.span, key: key(20))
        guard let held = MasterSecret(key(MasterSecret.count)), let other = MasterSecret(key(MasterSecret.count, 8))
        else {
            return try expect(false, "a key")
        }
        try expect(try held.open(blob.span).shown() == message, "the value")
        try expect(isRefused { _ = try other.open(blob.span) }, "another key")
    }

    private static func storedSession() throws {
        let record = try StoredSession.seal(message.span, key: key(32))
        try record.withBytes { record in
            try expect(try StoredSession.open(record, key: key(32)).shown() == message, "the session")
            try expect(isRefused { _ = try StoredSession.open(record, key: key(32, 8)) }, "another key")
        }
    }

    /// The header's code and the content, with the recipient's key hidden.
    private static func ageFile() throws {
        let text = "AGE-SECRET-KEY-1EGTZVFFV20835NWYV6270LXYVK2VKNX2MMDKWYKLMGR48UAWX40Q2P2LM0"
        let utf8 = Array(text.utf8)
        let recipient = try AgeIdentity(utf8.span).recipient
        let file = try AgeWriter.seal(SecureBytes(copying: message.span), to: [recipient])
        let hidden = Hidden.text("AGE-SECRET-KEY-1", String(text.dropFirst(16)))
        let identity = try hidden.withBytes { (text) throws(AgeKeyError) in try AgeIdentity(text) }
        let opened = try AgeFile(file)
        let fileKey = try opened.unlock(identity)
        var reader = try opened.open(fileKey)
        var content: [UInt8] = []
        var hasMore = true
        while hasMore { hasMore = try reader.next { content += SecureBytes(copying: $0).shown() } }
        try expect(content == message, "the content")
    }

    private static func secretBoxStream() throws {
        let nonce = [UInt8](repeating: 1, count: SecretBox.nonceCount)
        var bytes = message
        var piece = bytes.mutableSpan
        var sealer = key(SecretBox.keyCount).withBytes { SecretBoxStream(nonce: nonce, key: $0) }
        sealer.seal(&piece)
        let tag = sealer.finish()
        for byte: UInt8 in [7, 8] {
            var opener = key(SecretBox.keyCount, byte).withBytes { SecretBoxStream(nonce: nonce, key: $0) }
            opener.authenticate(bytes.span)
            var isRight = true
            do throws(AuthenticationError) { try opener.check(tag.span) } catch { isRight = false }
            try expect(isRight == (byte == 7), "the tag")
        }
    }

    private static func callFrame() throws {
        let footer = MediaFrame.Footer(epoch: 1, ratchet: 2, counter: 3)
        let cipher = FrameCipher(key: key(FrameCipher.keyCount))
        let sealed = try MediaFrame.seal(message.span, .opus, footer, cipher: cipher)
        try expect(try MediaFrame.open(sealed.span, .opus, cipher: cipher).shown() == message, "the frame")
        let other = FrameCipher(key: key(FrameCipher.keyCount, 8))
        try expect(isRefused { _ = try MediaFrame.open(sealed.span, .opus, cipher: other) }, "another key")
    }

    /// The older form, which is one hash; that of the newer one is the case `pbkdf2`.
    private static func pinLock() throws {
        func pin(_ text: String) -> SecureBytes { Hidden.text("", text) }
        func hash(_ text: String) -> PINHash? {
            let salt = [UInt8](repeating: 1, count: PINHash.Form.version1.saltCount)
            return PINHash(form: .version1, salt: salt, hash: PINHash.derive(pin(text), .version1, salt).shown())
        }
        guard let real = hash("271828"), let duress = hash("161803") else { return try expect(false, "a hash") }
        let lock = PINLock(real: real, duress: duress)
        for (text, result) in [("271828", PINLock.Result.real), ("161803", .duress), ("314159", .wrong)] {
            let found = try lock.check(pin(text), counts: .none, at: Timestamp(milliseconds: 0), store: { _ in })
            try expect(found.result == result, text)
        }
    }

    private static func passwordStrength() throws {
        for (text, weakness) in [
            ("aaaaaaaa", PasswordStrength.Weakness.repeated), ("123456789", .digits), ("password1", .common),
            ("summer rain on 3 tin roofs", nil),
        ] {
            let found = Hidden.text("", text).withBytes { PasswordStrength.weakness(of: $0) }
            try expect(found == weakness, text)
        }
    }

    private static func comparisons() throws {
        for byte: UInt8 in [7, 8] {
            let isSame = byte == 7
            try expect((DeviceGroupKey(key(32)) == DeviceGroupKey(key(32, byte))) == isSame, "device group keys")
            let first = FirstSecret(key(64), suite: .textSecure3)
            try expect(first.equals(key(64, byte)) == isSame, "first secrets")
            let left = try AuthorizationKey(key(AuthorizationKey.count))
            let right = try AuthorizationKey(key(AuthorizationKey.count, byte))
            try expect(left.equals(right) == isSame, "authorization keys")
        }
    }
}
