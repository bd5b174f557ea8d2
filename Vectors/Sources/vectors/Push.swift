import Encodings
import Foundation
import Primitives
import SecureMemory
import Threema
import ThreemaMessages

/// Operations of push notifications.
enum Push {
    static func openPayload(_ check: inout Check) throws {
        let payload = try check.inputs.fields("payload")
        let (box, nonce) = (try payload.text("box"), try payload.text("nonce"))
        let key = PushKey(try check.inputs.secret("pushEncryptionKey", count: PushKey.count))
        let encoded = payload.value.encoded
        let notification = try PushNotification(encoded.span, key: key)
        check.require("payload", try PushNotification(box: box, nonce: nonce, key: key) == notification)
        check.compare("cmd", notification.isGroup ? "newgroupmsg" : "newmsg")
        check.compare("from", notification.sender.text)
        try check.compare("messageId", notification.messageID.bytes)
        check.compare("voip", .bool(notification.isCall))
        if check.isExpected("json") {
            let plain = Array(try check.expected.text("json").utf8)
            check.note("json", try PushText.opens(box, nonce, key, to: plain))
        }
        let again = notification.sealed(key: key)
        if try PushNotification(again.span, key: key) != notification { check.require("sealed again", false) }
    }

    static func tokenPayload(_ check: inout Check) throws {
        let type = try type(check.inputs)
        guard type == 5 || type == 6 else { throw CheckError.notInAPI("the inputs are those of types 5 and 6") }
        let token = PushToken.apns(
            token: try check.inputs.bytes("apnsToken"), bundleID: try check.inputs.text("bundleId"),
            isProduction: type == 5)
        let key = PushKey(try check.inputs.secret("pushEncryptionKey", count: PushKey.count))
        let payload = token.encoded(key: key)
        try check.compare("payload", payload)
        if payload.withBytes({ PushToken.decode($0) }) != token { check.require("decoded", false) }
    }

    /// A number, or two hexadecimal digits.
    private static func type(_ fields: Fields) throws -> Int64 {
        if fields["type"]?.string != nil { return Int64(try fields.bytes("type", count: 1)[0]) }
        return try fields.integer("type", in: 0...255)
    }
}

/// The plaintext of a notification, which the public type reads and does not store.
enum PushText {
    /// Whether the box opens to this text.
    static func opens(_ box: String, _ nonce: String, _ key: borrowing PushKey, to plain: [UInt8]) throws -> Bool {
        guard let nonce = Data(base64Encoded: nonce), let box = Data(base64Encoded: box) else { return false }
        let (nonceBytes, boxBytes) = ([UInt8](nonce), [UInt8](box))
        return try key.bytes.withBytes { try SecretBox.open(boxBytes.span, nonce: nonceBytes, key: $0) }.equals(plain)
    }
}
