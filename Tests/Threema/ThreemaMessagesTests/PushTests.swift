import Encodings
import Primitives
import SecureMemory
import Testing
import Threema
import VectorKit

@testable import ThreemaMessages

@Suite struct PushTests {
    @Test(arguments: try Vector.all(in: .threemaClient, op: "open-push-payload"))
    func `a notification opens`(_ vector: Vector) throws {
        let payload = try vector.inputs.object("payload")
        let (box, nonce) = (try payload.string("box"), try payload.string("nonce"))
        let key = try vector.inputs.bytes("pushEncryptionKey")
        let notification = try open(box, nonce, key)
        #expect(notification.isGroup == (try vector.expected.string("cmd") == "newgroupmsg"))
        #expect(notification.sender.text == (try vector.expected.string("from")))
        #expect(notification.messageID.description == (try vector.expected.string("messageId")))
        #expect(notification.isCall == (try vector.expected.bool("voip")))
        let json = "{\"nonce\":\"\(nonce)\",\"box\":\"\(box)\",\"other\":1}"
        #expect(try open(Array(json.utf8), key) == notification)
        var other = key
        other[0] ^= 1
        #expect(throws: PushNotificationError.notAuthentic) { try open(box, nonce, other) }
    }

    @Test func `what is sealed opens`() throws {
        let key = Random.bytes(32)
        for (isGroup, isCall) in [(false, false), (true, false), (false, true)] {
            let notification = PushNotification(
                isGroup: isGroup, sender: .random(), messageID: .random(), isCall: isCall)
            #expect(try open(sealed(notification, key), key) == notification)
        }
    }

    @Test(arguments: try Vector.all(in: .pushNotification))
    func `a notification is sealed byte for byte as another program does it`(_ vector: Vector) throws {
        let notification = PushNotification(
            isGroup: try vector.inputs.string("command") == "newgroupmsg",
            sender: try ThreemaID(vector.inputs.string("sender")),
            messageID: try #require(MessageID(hex: vector.inputs.string("message_id"))),
            isCall: try vector.inputs.string("voip") == "true")
        let payload = sealed(notification, try vector.inputs.bytes("key"), nonce: try vector.inputs.bytes("nonce"))
        #expect(String(decoding: payload, as: UTF8.self) == (try vector.expected.string("payload")))
    }

    @Test(arguments: [
        ("", PushNotificationError.json(.syntax(offset: 0))), ("{}", .notSealed), ("{\"box\":\"\"}", .notSealed),
        ("{\"cmd\":\"newmsg\",\"from\":\"ABCDEFGH\",\"messageId\":\"0123456789abcdef\"}", .notSealed),
        ("{\"box\":\"!\",\"nonce\":\"\"}", .member("box")), ("{\"box\":\"\",\"nonce\":\"AAAA\"}", .member("nonce")),
        ("{\"box\":\"\",\"nonce\":\"AAECAwQFBgcICQoLDA0ODxAREhMUFRYX\"}", .notAuthentic),
        (String(repeating: " ", count: 16_385), .tooLong(limit: 16_384)),
    ]) func `what is not sealed is refused`(_ json: String, _ error: PushNotificationError) {
        #expect(throws: error) { try open(Array(json.utf8), Random.bytes(32)) }
    }

    @Test(arguments: [
        ("{}", "cmd"), ("{\"cmd\":\"else\"}", "cmd"), ("{\"cmd\":\"newmsg\"}", "from"),
        ("{\"cmd\":\"newmsg\",\"from\":\"abc\"}", "from"), ("{\"cmd\":\"newmsg\",\"from\":\"ABCDEFGH\"}", "messageId"),
        ("{\"cmd\":\"newmsg\",\"from\":\"ABCDEFGH\",\"messageId\":\"01\"}", "messageId"),
        ("{\"cmd\":\"newmsg\",\"from\":\"ABCDEFGH\",\"messageId\":\"0123456789abcdef\",\"voip\":1}", "voip"),
    ]) func `mandatory members`(_ json: String, _ member: String) {
        let key = Random.bytes(32)
        let nonce = Random.bytes(24)
        let box = SecretBox.seal(Array(json.utf8).span, nonce: nonce, key: key.span)
        #expect(throws: PushNotificationError.member(member)) {
            try open(Base64.encode(box.span), Base64.encode(nonce.span), key)
        }
    }

    @Test func `tokens`() throws {
        let key = [UInt8](repeating: UInt8(ascii: "|"), count: 32)
        let apns = PushToken.apns(token: [1, 0x7c, 2], bundleID: "ch.threema.iapp", isProduction: true)
        #expect(encoded(apns, key) == [5, 1, 0x7c, 2, 0x7c] + Array("ch.threema.iapp|".utf8) + key)
        let tokens: [(PushToken, UInt8)] = [
            (apns, 5), (.apns(token: [], bundleID: "", isProduction: false), 6), (.fcm(token: "a|b"), 0x11),
            (.hms(appID: "1", token: "t|u"), 0x13), (.hms(appID: "1", token: "\u{301}x"), 0x13), (.none, 0),
        ]
        for (token, type) in tokens {
            let bytes = encoded(token, key)
            #expect(bytes[0] == type)
            var found: [UInt8] = []
            #expect(PushToken.decode(bytes.span) { found = $0.bytes.copied } == token)
            #expect(found == (type == 5 || type == 6 ? key : []))
        }
        for bytes in [[], [1], [0, 0], [5], [5] + key, [0x13, 0x31], [0x13, 0x7c, 0xff], [0x11, 0xff]] as [[UInt8]] {
            #expect(PushToken.decode(bytes.span) == nil)
        }
    }

    private func open(_ box: String, _ nonce: String, _ key: [UInt8]) throws -> PushNotification {
        try PushNotification(box: box, nonce: nonce, key: PushKey(SecureBytes(copying: key.span)))
    }

    private func open(_ payload: [UInt8], _ key: [UInt8]) throws -> PushNotification {
        try PushNotification(payload.span, key: PushKey(SecureBytes(copying: key.span)))
    }

    private func sealed(_ notification: PushNotification, _ key: [UInt8]) -> [UInt8] {
        notification.sealed(key: PushKey(SecureBytes(copying: key.span)))
    }

    private func sealed(_ notification: PushNotification, _ key: [UInt8], nonce: [UInt8]) -> [UInt8] {
        notification.sealed(key: PushKey(SecureBytes(copying: key.span)), nonce: nonce)
    }

    private func encoded(_ token: PushToken, _ key: [UInt8]) -> [UInt8] {
        token.encoded(key: PushKey(SecureBytes(copying: key.span))).copied
    }
}
