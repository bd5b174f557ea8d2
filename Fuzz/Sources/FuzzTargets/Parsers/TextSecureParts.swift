@testable import Encodings
@testable import HTTP
@testable import Ratchet
@testable import SecureMemory
@testable import TextSecure

/// TextSecure: messages, records, the server's pushes and answers, and the clients' own wraps.
enum TextSecureParts {
    private static let signalingKey = SignalingKey(
        SecureBytes(copying: [UInt8](repeating: 7, count: SignalingKey.count).span))!

    static func messages(_ bytes: [UInt8]) throws {
        if let key = PublicKey33(bytes) { expect(PublicKey33(text: key.text) == key, "the same key") }
        if let message = try? PreKeyWhisperMessage(parsing: bytes) { _ = message.message }
        let message = try WhisperMessage(parsing: bytes)
        expect(message.bytes == bytes, "its bytes are kept")
        expect(message.ciphertext.count < bytes.count, "the ciphertext is inside")
    }

    static func contents(_ bytes: [UInt8]) throws {
        if let signal = try? IncomingPushSignal(parsing: bytes.span) {
            let encoded = signal.encoded().revealBytes()
            let again = try! IncomingPushSignal(parsing: encoded.span)
            expect(again.encoded().revealBytes() == encoded, "the same signal")
        }
        let content = try PushMessageContent(parsing: bytes.span)
        let encoded = content.encoded().revealBytes()
        let again = try! PushMessageContent(parsing: encoded.span)
        expect(again.encoded().revealBytes() == encoded, "the same content")
    }

    static func push(_ bytes: [UInt8]) throws {
        _ = try? PushPayload.open(bytes.span, key: signalingKey)
        if let payload = PushPayload.payload(text: String(decoding: bytes, as: UTF8.self)) {
            expect(payload.count <= bytes.count, "shorter than its text")
        }
        let sealed = PushPayload.seal(bytes.span, key: signalingKey, iv: [UInt8](repeating: 1, count: 16))
        expect(try PushPayload.open(sealed.span, key: signalingKey).revealBytes() == bytes, "the same signal")
    }

    static func records(_ bytes: [UInt8]) throws {
        if let session = try? TextSecureSession(decoding: bytes.span) {
            expect(session.encoded().revealBytes() == bytes, "a record has one form")
        }
        let account = try TextSecureAccount(decoding: bytes.span, at: Timestamp(milliseconds: 0))
        let encoded = account.encoded().revealBytes()
        let again = try! TextSecureAccount(decoding: encoded.span, at: Timestamp(milliseconds: 0))
        expect(again.encoded().revealBytes() == encoded, "the same account")
    }

    static func wraps(_ bytes: [UInt8]) throws {
        let secret = MasterSecret(SecureBytes(copying: [UInt8](repeating: 1, count: MasterSecret.count).span))!
        _ = try? secret.open(bytes.span)
        _ = try? RNCryptorBlob.check(bytes.span)
        _ = try? RNCryptorBlob.open(bytes.span, password: SecureBytes(copying: Array("password".utf8).span))
        let preferences = try AndroidPreferences(parsing: bytes.span)
        _ = preferences
    }

    static func attachment(_ bytes: [UInt8]) throws {
        var check = try AttachmentCheck(key: AttachmentKey(), count: Int64(bytes.count))
        let middle = bytes.count / 3
        try check.read(bytes.span.extracting(0..<middle))
        try check.read(bytes.span.extracting(middle..<bytes.count))
        var opener = try check.finish()
        _ = try opener.open(bytes.span)
    }

    /// The first byte chooses the request, the second one the status; the rest is the answer's body.
    static func answers(_ bytes: [UInt8]) throws {
        let (first, rest) = split(bytes)
        let (second, body) = split(rest)
        let response = HTTPResponse(status: [200, 204, 400, 401, 404, 409, 410, 500][Int(second & 7)], body: body)
        switch first % 4 {
        case 0: _ = try ServerRequest<AttachmentPlace>.attachmentPlace().answer(response)
        case 1: _ = try ServerRequest<AttachmentLocation>.attachment(1).answer(response)
        case 2: _ = try ServerRequest<ContactKeys>.keys(of: AccountNumber("+12025550123")!).answer(response)
        default: _ = try ServerRequest<[DirectoryEntry]>.contacts([]).answer(response)
        }
    }
}
