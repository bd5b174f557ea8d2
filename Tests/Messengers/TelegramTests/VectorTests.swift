import Primitives
import SecureMemory
import Testing
import VectorKit

@testable import Telegram

/// The vectors of the protocol, one test for each operation.
@Suite struct VectorTests {
    /// `0x` and hexadecimal digits.
    static func number(_ text: String) throws -> UInt64 { try #require(UInt64(text.dropFirst(2), radix: 16)) }

    static func direction(_ x: Int) -> LegacyMTProto1.Direction { x == 0 ? .fromClient : .fromServer }

    @Test(arguments: try Vector.all(in: .telegram, op: "auth-key-id"))
    func `key ID`(_ vector: Vector) throws {
        let key = try authorizationKey(vector.inputs.bytes("auth_key"))
        #expect(key.id.description == (try vector.expected.string("key_id_bytes")))
        #expect(String(key.id.number) == (try vector.expected.string("key_id_int64_le")))
        #expect(KeyID(key.id.description) == key.id && KeyID(key.id.bytes) == key.id)
        guard vector.inputs.has("new_nonce") else { return }
        #expect(key.auxiliaryHash == (try vector.expected.bytes("aux_hash")))
        let nonce = NewNonce(secure(try vector.inputs.bytes("new_nonce")))
        let hash = nonce.hash(.created, of: key)
        #expect(hash == (try vector.expected.bytes("new_nonce_hash1")))
        #expect(nonce.matches(hash, .created, of: key) && !nonce.matches(hash, .retry, of: key))
        #expect(!nonce.matches(hash, .failed, of: key) && !nonce.matches([], .created, of: key))
    }

    @Test(arguments: try Vector.all(in: .telegram, op: "dh-tmp-aes-key-iv"))
    func `temporary keys`(_ vector: Vector) throws {
        let nonce = NewNonce(secure(try vector.inputs.bytes("new_nonce")))
        let keys = nonce.temporaryKeys(serverNonce: try vector.inputs.bytes("server_nonce"))
        #expect(keys.key.copied == (try vector.expected.bytes("tmp_aes_key")))
        #expect(keys.iv.copied == (try vector.expected.bytes("tmp_aes_iv")))
    }

    @Test(arguments: try Vector.all(in: .telegram, op: "aes-key-iv"))
    func `key and IV of a packet`(_ vector: Vector) throws {
        let keys = LegacyMTProto1.blockKeys(
            try authorizationKey(vector.inputs.bytes("auth_key")), messageKey: try vector.inputs.bytes("msg_key"),
            Self.direction(try vector.inputs.integer("x")))
        #expect(keys.key.copied == (try vector.expected.bytes("aes_key")))
        #expect(keys.iv.copied == (try vector.expected.bytes("aes_iv")))
    }

    @Test(arguments: try Vector.all(in: .telegram, op: "encrypted-message"))
    func `a packet is sealed and opened`(_ vector: Vector) throws {
        let inputs = vector.inputs
        let key = try authorizationKey(inputs.bytes("auth_key"))
        let content = LegacyMTProto1.Content(
            salt: try Self.number(inputs.string("salt")), session: try Self.number(inputs.string("session_id")),
            message: LegacyMTProto1.Message(
                id: MessageID(try Self.number(inputs.string("message_id"))),
                sequence: UInt32(try inputs.integer("seq_no")), data: try inputs.bytes("body")))
        let direction = Self.direction(try inputs.integer("x"))
        let padding = try inputs.bytes("padding")
        let packet = try LegacyMTProto1.Packet.seal(content, key: key, direction) { count in
            #expect(count == padding.count)
            return padding
        }
        #expect(packet == (try vector.expected.bytes("packet")))
        #expect(packet.count == (try vector.expected.integer("packet_length")))
        #expect(Array(packet[8..<24]) == (try vector.expected.bytes("msg_key")))
        #expect(try LegacyMTProto1.Packet.open(packet.span, key: key, direction) == content)
        let other: LegacyMTProto1.Direction = direction == .fromClient ? .fromServer : .fromClient
        #expect(throws: PacketError.notAuthentic) {
            try LegacyMTProto1.Packet.open(packet.span, key: authorizationKey(inputs.bytes("auth_key")), other)
        }
    }

    @Test(arguments: try Vector.negative(in: .telegram))
    func `a packet is refused`(_ vector: Vector) throws {
        let inputs = vector.inputs
        let key = try authorizationKey(inputs.bytes("auth_key"))
        let direction = Self.direction(try inputs.integer("x"))
        let packet = try inputs.bytes("packet")
        let expected: PacketError =
            packet.prefix(8) == key.id.bytes[...] ? .notAuthentic : .unknownKey(KeyID(Array(packet.prefix(8))))
        #expect(throws: expected) {
            try LegacyMTProto1.Packet.open(packet.span, key: authorizationKey(inputs.bytes("auth_key")), direction)
        }
        #expect((expected == .notAuthentic) == (vector.id != "mtp-050"))
    }

    @Test(arguments: try Vector.all(in: .telegram, op: "unencrypted-message"))
    func `a packet without encryption`(_ vector: Vector) throws {
        let id = MessageID(try Self.number(vector.inputs.string("message_id")))
        let packet = PlainPacket(id: id, data: try vector.inputs.bytes("body"))
        let bytes = try packet.encoded()
        #expect(bytes == (try vector.expected.bytes("packet")))
        #expect(try PlainPacket(decoding: bytes.span) == packet)
        // The published ID is not divisible by 4.
        #expect(id.number % 4 == 2)
    }

    @Test(arguments: try Vector.all(in: .telegram, op: "msg-id"))
    func `message ID`(_ vector: Vector) throws {
        // 1700000000123456789/1000000000
        #expect(try vector.inputs.string("kind") == "server-reply")
        let digits = try vector.inputs.string("unixtime").split(separator: "/")[0]
        let nanoseconds = try #require(UInt64(digits))
        let time = MessageTime(
            seconds: UInt32(nanoseconds / 1_000_000_000), nanoseconds: UInt32(nanoseconds % 1_000_000_000))
        let id = MessageID(time, .serverReply)
        #expect(id.number == (try Self.number(vector.expected.string("msg_id"))))
        #expect(Int(id.number % 4) == (try vector.expected.integer("mod4")))
    }

    @Test(arguments: try Vector.all(in: .telegram, op: "replay-window"))
    func `replay window`(_ vector: Vector) throws {
        var window = ReplayWindow(capacity: try vector.inputs.integer("N"))
        let results = try vector.inputs.string("msg_ids").split(separator: ",").map { text in
            window.insert(MessageID(try #require(UInt64(text)))) == .new ? "accept" : "ignore"
        }
        #expect(results.joined(separator: ",") == (try vector.expected.string("results")))
    }

    @Test(arguments: try Vector.all(in: .telegram, op: "time-window"))
    func `time window`(_ vector: Vector) throws {
        let delta = try vector.inputs.number("delta_seconds")
        let now = MessageTime(seconds: 1_700_000_000, nanoseconds: 500_000_000)
        let time = MessageTime(number: UInt64(Int64(now.number) + Int64(delta * 4_294_967_296)))
        let isInside = TimeWindow.place(of: time, at: now) == .inside
        #expect((isInside ? "accept" : "ignore") == (try vector.expected.string("result")))
    }

    @Test(arguments: try Vector.all(in: .telegram, op: "auth-key-protect-sshpem"))
    func `a key file as OpenSSL encrypts`(_ vector: Vector) throws {
        let iv = try vector.inputs.bytes("iv")
        let password = secure(try vector.inputs.string("password"))
        let ciphertext = try vector.expected.bytes("ciphertext")
        #expect(LegacyKeyFile.openSSLKey(password, iv: iv).copied == (try vector.expected.bytes("aes_key")))
        let file = iv + ciphertext
        let opened = try LegacyKeyFile.open(file.span, password: password)
        #expect(opened.form == .openSSL)
        #expect(opened.held.key.bytes.copied == (try vector.inputs.bytes("auth_key")))
    }

    @Test(arguments: try Vector.all(in: .telegram, op: "tdesktop-local-key"))
    func `the Desktop app's passcode key`(_ vector: Vector) throws {
        let key = DesktopLocalKey(
            passcode: secure(try vector.inputs.bytes("passcode")), salt: try vector.inputs.bytes("salt"), .current)
        #expect(key.bytes.copied == (try vector.expected.bytes("local_key")))
    }

    @Test(arguments: try Vector.all(in: .telegram, op: "tdesktop-legacy-local-key"))
    func `the passcode key of older Desktop apps`(_ vector: Vector) throws {
        let key = DesktopLocalKey(
            passcode: secure(try vector.inputs.bytes("passcode")), salt: try vector.inputs.bytes("salt"), .legacy)
        #expect(key.bytes.copied == (try vector.expected.bytes("local_key")))
    }

    @Test func `each operation of the file has a test`() throws {
        let operations = Set(try Vector.all(in: .telegram).compactMap(\.op))
        #expect(
            operations == [
                "aes-ige-encrypt", "aes-ige-decrypt", "auth-key-id", "dh-tmp-aes-key-iv", "aes-key-iv",
                "encrypted-message", "encrypted-message-reject", "unencrypted-message", "msg-id", "replay-window",
                "time-window", "auth-key-protect-sshpem", "tdesktop-local-key", "tdesktop-legacy-local-key",
            ])
    }
}
