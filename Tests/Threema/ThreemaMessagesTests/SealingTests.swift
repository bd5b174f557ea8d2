import Encodings
import Primitives
import SecureMemory
import Testing
import Threema
import VectorKit

@testable import ThreemaMessages

@Suite struct SealingTests {
    @Test(arguments: try Vector.all(in: .threemaClient, op: "open-message"))
    func `captured messages`(_ vector: Vector) throws {
        let bytes = try vector.inputs.bytes("payload")
        let payload = try MessagePayload(decoding: bytes.span)
        #expect(payload.encoded == bytes)
        #expect(payload.sender.text == (try vector.expected.string("sender")))
        #expect(payload.receiver.text == (try vector.expected.string("receiver")))
        #expect(payload.id.description == (try vector.expected.string("messageId")))
        #expect(Int(payload.createdAt) == (try vector.expected.integer("createdAt")))
        #expect(Int(payload.flags.rawValue) == (try vector.expected.integer("flags")))
        #expect(payload.nonce.bytes.hex == (try vector.expected.string("nonce")))
        #expect(payload.metadataBox.hex == (try vector.expected.string("metadataBox")))
        #expect(payload.messageBox.hex == (try vector.expected.string("messageBox")))

        let receiver = try Party(
            vector.inputs.string("receiverIdentity"), vector.inputs.bytes("receiverClientKey"))
        let contact = try #require(PublicKey(vector.inputs.bytes("senderPublicKey")))
        let secrets = try keys(receiver, contact)
        #expect(secrets.message == (try vector.expected.string("sharedSecret")))
        #expect(secrets.metadata == (try vector.expected.string("mmk")))
        #expect(try container(payload, receiver, contact) == (try vector.expected.string("containerPlain")))

        let message = try receiver.open(payload, from: contact)
        #expect(Int(message.createdAt.milliseconds) == (try vector.expected.integer("createdAtMs")))
        #expect(message.nickname == .set(try vector.expected.string("nickname")))
        #expect(Int(message.body.type.rawValue) == (try vector.expected.integer("type")))
        #expect(try message.body.encodedBody().hex == (try vector.expected.string("body")))
        switch message.body {
        case .chat(.text(let text)): #expect(text == (try vector.expected.string("bodyText")))
        case .chat(.location(let location)):
            #expect(location.name == "Pfäffikon SZ" && location.address == "Unknown address")
            #expect([location.latitude, location.longitude, location.accuracy] == [47.202952, 8.778079, 0])
        default: Issue.record("another type")
        }

        // The same message, sealed here, is the same payload to the last bit.
        let again = try message.seal(
            keys: receiver.keys(with: contact), nonce: payload.nonce,
            randomPadding: try vector.expected.integer("padLength"))
        #expect(again.messageBox == payload.messageBox)
        #expect(again.metadataBox == payload.metadataBox)
        #expect(again.encoded == bytes)
    }

    @Test(arguments: try Vector.all(in: .threemaClient, op: "seal-message"))
    func `a message to a gateway, from its parts`(_ vector: Vector) throws {
        let sender = try Party(vector.inputs.string("senderIdentity"), vector.inputs.bytes("senderSecretKey"))
        let receiver = try Party(vector.inputs.string("receiverIdentity"), vector.inputs.bytes("receiverSecretKey"))
        #expect(receiver.publicKey.hex == (try vector.inputs.string("receiverPublicKey")))
        let id = try #require(MessageID(hex: vector.inputs.string("messageId")))
        let milliseconds = Int64(try vector.inputs.integer("createdAtMs"))
        let message = Message(
            from: sender.id, to: receiver.id, id: id, createdAt: Timestamp(milliseconds: milliseconds),
            nickname: .set(try vector.inputs.string("nickname")), body: .chat(.text(try vector.inputs.string("text"))))
        #expect(Int(message.flags.rawValue) == (try vector.inputs.integer("flags")))
        let nonce = MessageNonce(try vector.inputs.bytes("nonce"))
        let padding = try vector.inputs.integer("padLength")
        #expect(try message.body.container(padding: padding).hex == vector.inputs.string("containerPlain"))
        let keys = try sender.keys(with: receiver.publicKey)
        let payload = try message.seal(keys: keys, nonce: nonce, randomPadding: padding)
        #expect(payload.encoded.hex == (try vector.expected.string("payload")))
        #expect(try receiver.open(payload, from: sender.publicKey) == message)
    }

    @Test(arguments: try Vector.all(in: .threemaClient, op: "seal-metadata"))
    func `metadata box of the Android app`(_ vector: Vector) throws {
        let sender = try Party("00000000", vector.inputs.bytes("senderSecretKey"))
        let receiver = try #require(PublicKey(vector.inputs.bytes("receiverPublicKey")))
        let secrets = try keys(sender, receiver)
        #expect(secrets.message == (try vector.expected.string("sharedSecret")))
        #expect(secrets.metadata == (try vector.expected.string("mmk")))
        let nonce = MessageNonce(try vector.inputs.bytes("nonce"))
        let box = try vector.expected.bytes("box")
        let metadata = try MessageMetadata.open(box, nonce: nonce, keys: sender.keys(with: receiver))
        #expect(metadata.nickname == .set("John Doe") && metadata.messageID == MessageID(0))
        let plain = try vector.inputs.bytes("metadataPlain")
        #expect(sealed(plain, nonce.bytes, try [UInt8](hex: vector.expected.string("mmk"))!) == box)
        #expect(throws: MessageError.metadataNotAuthentic) {
            try MessageMetadata.open(box, nonce: MessageNonce.zero, keys: sender.keys(with: receiver))
        }
    }

    @Test(arguments: try Vector.all(in: .threemaClient, op: "encode-payload"))
    func `layout of the Android app`(_ vector: Vector) throws {
        let bytes = try vector.expected.bytes("encoded")
        let payload = try MessagePayload(decoding: bytes.span)
        #expect(payload.sender.text == (try vector.inputs.string("from")))
        #expect(payload.receiver.text == (try vector.inputs.string("to")))
        #expect(payload.id.description == (try vector.inputs.string("messageId")))
        #expect(Int(payload.createdAt) == (try vector.inputs.integer("createdAt")))
        #expect(payload.legacyNickname.prefix(8) == ArraySlice(try vector.inputs.utf8("legacyNickname")))
        #expect(payload.metadataBox == (try vector.inputs.bytes("metadataBox")))
        #expect(payload.nonce.bytes == (try vector.inputs.bytes("nonce")))
        #expect(payload.messageBox == (try vector.inputs.bytes("box")))
        #expect(payload.encoded == bytes)
        for count in 0..<bytes.count - payload.messageBox.count {
            #expect(throws: MessagePayloadError.self) { try MessagePayload(decoding: Array(bytes[..<count]).span) }
        }
        let long = bytes + [UInt8](repeating: 0, count: MessagePayload.maxCount)
        #expect(throws: MessagePayloadError.tooLong(limit: 8192, actual: long.count)) {
            try MessagePayload(decoding: long.span)
        }
        for place in [0, 9] {
            var other = bytes
            other[place] = UInt8(ascii: "a")
            #expect(throws: MessagePayloadError.invalidID) { try MessagePayload(decoding: other.span) }
        }
    }

    @Test(arguments: try Vector.all(in: .threemaClient, op: "nonce-hash"))
    func `digest of a nonce`(_ vector: Vector) throws {
        let nonce = MessageNonce(try vector.inputs.bytes("nonce"))
        let digest = nonce.digest(for: try ThreemaID(vector.inputs.string("identity")))
        #expect(digest.bytes.hex == (try vector.expected.string("hashedNonce")))
    }

    @Test(arguments: try Vector.all(in: .threemaClient, op: "pad"))
    func `padding`(_ vector: Vector) throws {
        let body = MessageBody.opaque(.text, .of(try vector.inputs.bytes("data")))
        let container = try body.container(padding: vector.inputs.integer("randomPadLength"))
        #expect(Array(container[1...]).hex == (try vector.expected.string("padded")))
    }

    @Test func `what is not padded is refused`() throws {
        for container in [[], [1], [1, 0], [1, 2], [1, 65, 0], [1, 65, 66, 4], [255]] as [[UInt8]] {
            #expect(throws: MessageError.container) { try MessageContainer.body(of: container.span) }
        }
        #expect(try MessageContainer.body(of: [UInt8]([1, 1]).span) == 1..<1)
        // Only the last byte counts, as in the apps.
        #expect(try MessageContainer.body(of: [UInt8]([1, 65, 9, 9, 3]).span) == 1..<2)
    }

    @Test func `random padding takes each length, and 32 bytes are the least`() {
        var seen: Set<Int> = []
        for _ in 0..<20_000 { seen.insert(MessageContainer.randomPadding()) }
        #expect(seen == Set(1...255))
        #expect(MessageContainer.paddingCount(after: 0, random: 1) == 32)
        #expect(MessageContainer.paddingCount(after: 31, random: 1) == 1)
        #expect(MessageContainer.paddingCount(after: 31, random: 255) == 255)
    }

    @Test func `a nonce that was used is drawn again, and the sender's digest is returned`() throws {
        let (alice, bob) = (try Party("000ALICE"), try Party("00000BOB"))
        let message = Message(
            from: alice.id, to: bob.id, id: .random(), createdAt: Timestamp(milliseconds: 1), body: .chat(.text("Hi")))
        let first = try message.seal(keys: alice.keys(with: bob.publicKey), notIn: FirstIsUsed())
        #expect(first.nonceDigest == first.payload.nonce.digest(for: alice.id))
        #expect(FirstIsUsed.asked.value >= 2)
    }

    /// Says of every second nonce that it was used.
    struct FirstIsUsed: UsedNonces {
        final class Count: @unchecked Sendable { var value = 0 }
        static let asked = Count()
        func contains(_ digest: NonceDigest) throws(Never) -> Bool {
            Self.asked.value += 1
            return Self.asked.value % 2 == 1
        }
    }

    @Test func `the nickname goes along with conversations, and in clear text to gateways only`() throws {
        let (alice, gateway) = (try Party("000ALICE"), try Party("*GATEWAY"))
        let bob = try Party("00000BOB")
        func sealed(_ body: MessageBody, to other: Party) throws -> (MessagePayload, Message) {
            let message = Message(
                from: alice.id, to: other.id, id: .random(), createdAt: Timestamp(milliseconds: 1000),
                nickname: .set("Älice"), body: body)
            let payload = try alice.seal(message, for: other)
            return (payload, try other.open(payload, from: alice.publicKey))
        }
        let empty = [UInt8](repeating: 0, count: 32)
        let toGateway = try sealed(.chat(.text("x")), to: gateway)
        #expect(toGateway.0.legacyNickname == Array("Älice".utf8) + empty.dropFirst(6))
        #expect(toGateway.1.nickname == .set("Älice"))
        let toBob = try sealed(.chat(.text("x")), to: bob)
        #expect(toBob.0.legacyNickname == empty && toBob.1.nickname == .set("Älice"))
        let control = try sealed(.typing(true), to: gateway)
        #expect(control.0.legacyNickname == empty && control.1.nickname == .unchanged)
    }

    @Test(
        arguments: [
            (.text, 0x01), (.file, 0x01), (.groupText, 0x01), (.groupCallStart, 0x01), (.reaction, 0x01),
            (.callOffer, 0x21), (.typing, 0x06), (.deliveryReceipt, 0), (.pollVote, 0), (.groupSetup, 0),
            (.setProfilePicture, 0), (.empty, 0), (nil, 0),
        ] as [(MessageType?, UInt8)])
    func `an envelope has nickname and flags of the message in it`(_ inner: MessageType?, _ flags: UInt8) throws {
        let (alice, gateway) = (try Party("000ALICE"), try Party("*GATEWAY"))
        let message = Message(
            from: alice.id, to: gateway.id, id: .random(), createdAt: Timestamp(milliseconds: 1000),
            nickname: .set("Alice"), body: .forwardSecurity([1, 2, 3], inner: inner))
        #expect(message.flags.rawValue == flags)
        let payload = try alice.seal(message, for: gateway)
        #expect(payload.flags.rawValue == flags)
        let opened = try gateway.open(payload, from: alice.publicKey)
        // The envelope does not say what it holds.
        #expect(opened.body == .forwardSecurity([1, 2, 3]))
        let isConversation = flags == 0x01
        #expect(opened.nickname == (isConversation ? .set("Alice") : .unchanged))
        #expect(payload.legacyNickname.starts(with: Array("Alice".utf8)) == isConversation)
    }

    @Test func `metadata has 16 bytes of padding and nickname at least, and may be absent`() throws {
        for (nickname, count) in [(MessageMetadata.Nickname.unchanged, 18), (.removed, 20), (.set("ab"), 20)] {
            let metadata = MessageMetadata(
                nickname: nickname, messageID: MessageID(7), createdAt: Timestamp(milliseconds: 1 << 40))
            let bytes = metadata.encoded()
            #expect(bytes.count == count + 9 + 7)
            #expect(try MessageMetadata(decoding: bytes.span) == metadata)
        }
        #expect(throws: MessageError.metadata) { try MessageMetadata(decoding: [UInt8]([0x12, 0x01, 0xff]).span) }
        #expect(throws: MessageError.metadata) { try MessageMetadata(decoding: [UInt8]([0x18, 0x01]).span) }
        // Unknown fields are skipped.
        #expect(try MessageMetadata(decoding: [UInt8]([0x28, 0x01]).span).nickname == .unchanged)
    }

    private func keys(_ party: Party, _ other: PublicKey) throws -> (message: String, metadata: String) {
        let keys = try party.keys(with: other)
        return (keys.message.copied.hex, keys.metadata.copied.hex)
    }

    private func container(_ payload: MessagePayload, _ party: Party, _ other: PublicKey) throws -> String {
        try payload.openContainer(keys: party.keys(with: other)).copied.hex
    }

    private func sealed(_ plain: [UInt8], _ nonce: [UInt8], _ key: [UInt8]) -> [UInt8] {
        SecretBox.seal(plain.span, nonce: nonce, key: key.span)
    }
}

extension MessageNonce {
    static let zero = MessageNonce([UInt8](repeating: 0, count: 24))
}
