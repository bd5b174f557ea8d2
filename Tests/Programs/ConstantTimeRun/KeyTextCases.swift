import Encodings
import Ratchet
import SecureMemory
import Telegram
import TelegramSessions
import TextSecure
import Threema

/// Keys in texts and records of others' programs and of sessions.
enum KeyTextCases {
    static var all: [Case] {
        [
            ("gateway-key", gatewayKey), ("gateway-secret", gatewaySecret), ("telegram-text", telegramText),
            ("session-record", sessionRecord),
        ]
    }

    private static let key = EncodingCases.key

    private static func gatewayKey() throws {
        let hex = Hex.encode(key)
        for (prefix, end) in [("private:", "\n"), ("", "")] {
            let decoded = try Hidden.text(prefix, hex, end).withBytes { (text) throws(GatewayKeyError) in
                try GatewayKeyText.decode(text, mayBeBare: true)
            }
            try expect(decoded.bytes.shown() == key, "the private key")
            try expect(GatewayKeyText.encode(decoded).shown().text == "private:\(hex)\n", "the text")
        }
    }

    private static func gatewaySecret() throws {
        for text in ["pK7wQx9ZrT4mVb2N", "with a blank"] {
            let secret = GatewaySecret(Hidden.text("", text))
            try expect((secret == nil) == text.contains(" "), "what a secret may have")
        }
    }

    /// The key in a session text; data centre, address and port in front of it are public.
    private static func telegramText() throws {
        let bytes = (0..<AuthorizationKey.count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
        let json =
            #"{"keys":[{"dc":2,"key":"\#(Base64.encode(bytes.span))","lost":false}],"#
            + #""main_dc":2,"messenger":"telegram","version":1}"#
        let utf8 = Array(json.utf8)
        let text = try TelegramAccount(decoding: utf8.span).telethonText()
        let plain = text.shown()
        text.withBytes { Hidden.hide($0.extracting(11..<plain.count - 1)) }
        let session = try text.withBytes { (text) throws(TelegramSessionError) in try TelegramSession(text: text) }
        try expect(try session.account.telethonText().shown() == plain, "the same text")
    }

    /// Root key, private ratchet key and sending chain; where they stand is in the records' own tables.
    private static func sessionRecord() throws {
        let alice = try account()
        let bob = try account()
        let prekey = AgreementKey().publicKey
        let session = try alice.initiate(
            with: PeerPrekey(id: 1, key: prekey, identity: bob.identity.publicKey), known: nil, version: .three)
        let record = session.encoded()
        let plain = record.shown()
        record.withBytes { record in
            Hidden.hide(record.extracting(121..<185))
            Hidden.hide(record.extracting(221..<253))
        }
        var read = try record.withBytes { (record) throws(SessionError) in try TextSecureSession(decoding: record) }
        try expect(read.encoded().shown() == plain, "the same record")
        _ = try read.seal(key.span)
        try expect(read.encoded().shown() != plain, "the next chain key")
    }

    private static func account() throws -> TextSecureAccount {
        try TextSecureAccount(
            number: AccountNumber("+12025550123")!,
            password: AccountPassword(SecureBytes(copying: Array("0123".utf8).span))!,
            signalingKey: SignalingKey(), identity: AgreementKey(), registrationID: 1, lastResort: LastResortPrekey(),
            prekeys: PrekeyPool(PrekeyPool.Rules.textSecure), server: nil, relay: nil)
    }
}
