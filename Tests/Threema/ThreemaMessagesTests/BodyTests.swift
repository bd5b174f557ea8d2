import Encodings
import SecureMemory
import Testing
import Threema
import VectorKit

@testable import ThreemaMessages

@Suite struct BodyTests {
    static let group = GroupIdentity(
        creator: try! ThreemaID("000ALICE"), id: GroupID([UInt8](hex: "0807060504030201")!))

    @Test(arguments: try Vector.all(in: .threemaClient, op: "group-member-text"))
    func `text in a member container`(_ vector: Vector) throws {
        let group = GroupIdentity(
            creator: try ThreemaID(vector.inputs.string("creatorIdentity")),
            id: GroupID(try vector.inputs.bytes("groupId")))
        let body = MessageBody.groupChat(group, .text(try vector.inputs.string("text")))
        #expect(
            try body.container(padding: vector.inputs.integer("randomPadLength")).hex
                == vector.expected.string("container"))
        #expect(try MessageBody.decoded(.groupText, body.encodedBody()) == body)
    }

    @Test(arguments: try Vector.all(in: .threemaClient, op: "group-setup"))
    func `setup in a creator container`(_ vector: Vector) throws {
        let members = try vector.inputs.strings("members").map { try ThreemaID($0) }
        let body = MessageBody.groupSetup(GroupID(try vector.inputs.bytes("groupId")), members: members)
        #expect(
            try body.container(padding: vector.inputs.integer("randomPadLength")).hex
                == vector.expected.string("container"))
        #expect(try MessageBody.decoded(.groupSetup, body.encodedBody()) == body)
    }

    @Test(arguments: try Vector.all(in: .threemaClient, op: "set-profile-picture"))
    func `body of a profile picture`(_ vector: Vector) throws {
        let key = EnclosedKey.of(try vector.inputs.bytes("key"))
        let size = try vector.expected.bytes("blob").count
        let picture = PictureMessage(
            blobID: BlobID(try vector.inputs.bytes("blobId")), encryptedSize: UInt32(size), key: key)
        let body = MessageBody.profilePicture(picture)
        #expect(Int(body.type.rawValue) == (try vector.expected.integer("messageType")))
        #expect(try body.encodedBody().hex == vector.expected.string("body"))
        #expect(try MessageBody.decoded(.setProfilePicture, body.encodedBody()) == body)
    }

    @Test func `each type has its code, one container and default flags`() {
        let creator: Set<MessageType> = [
            .groupSetup, .groupName, .groupSetPicture, .groupDeletePicture, .groupSyncRequest,
        ]
        for type in MessageType.allCases {
            let isGroup = (0x41...0x54).contains(type.rawValue) || [0x81, 0x83, 0x93, 0x94].contains(type.rawValue)
            switch type.container {
            case .none: #expect(!isGroup, "\(type)")
            case .creator: #expect(creator.contains(type))
            case .member: #expect(isGroup && !creator.contains(type))
            }
        }
        #expect(MessageType.text.defaultFlags == .push && MessageType.groupEdit.defaultFlags == .push)
        #expect(
            MessageType.callOffer.defaultFlags.rawValue == 0x21 && MessageType.callHangup.defaultFlags.rawValue == 1)
        #expect(MessageType.typing.defaultFlags.rawValue == 0x06)
        #expect(MessageType.webSessionResume.defaultFlags.rawValue == 0x20)
        for type in [
            MessageType.pollVote, .groupPollVote, .deliveryReceipt, .groupSetup, .groupLeave, .setProfilePicture,
        ] {
            #expect(type.defaultFlags == [])
        }
        #expect(MessageType(rawValue: 0xff) == nil)
        #expect(Set(ChatKind.allCases.flatMap { [$0.directType, $0.groupType] }).count == 24)
    }

    @Test(
        arguments: [
            ("47.1,8.2", 47.1, 8.2, nil, nil, nil), ("-0.000001,-180", -0.000001, -180, nil, nil, nil),
            ("1,2,3.5\nHere", 1, 2, 3.5, nil, "Here"),
            ("1,2\nName\nStreet 1\\nTown", 1, 2, nil, "Name", "Street 1\nTown"),
            ("1e1,-2E0\n\n", 10, -2, nil, "", ""), ("1,2\na\\b\\", 1, 2, nil, nil, "a\\b\\"),
        ] as [(String, Double, Double, Double?, String?, String?)])
    func `locations`(
        _ text: String, _ latitude: Double, _ longitude: Double, _ accuracy: Double?, _ name: String?,
        _ address: String?
    ) throws {
        let location = try Location(
            latitude: latitude, longitude: longitude, accuracy: accuracy, name: name, address: address)
        let body = MessageBody.chat(.location(location))
        #expect(try MessageBody.decoded(.location, Array(text.utf8)) == body)
        #expect(try MessageBody.decoded(.location, body.encodedBody()) == body)
    }

    @Test func `coordinates of more than six decimals are rounded once`() throws {
        let written = try MessageBody.decoded(.location, Array("47.2,8.1778079".utf8)).encodedBody()
        #expect(written == Array("47.200000,8.177808".utf8))
        #expect(try MessageBody.decoded(.location, written).encodedBody() == written)
    }

    @Test(arguments: [
        "", "1", "1,", "1,2,", "1,2,3,4", "91,0", "0,181", "0,-180.1", "nan,1", "0x1p1,1", "inf,0", "1,2,-1",
        "1,2,1e10",
        "１,2", " 1,2",
    ]) func `other coordinates are refused`(_ text: String) {
        #expect(throws: MessageBodyError.coordinates) { try MessageBody.decoded(.location, Array(text.utf8)) }
    }

    @Test func `places that the form cannot hold are refused`() {
        #expect(throws: MessageBodyError.lineBreak) {
            try Location(latitude: 0, longitude: 0, name: "a\nb", address: "c")
        }
        #expect(throws: MessageBodyError.member("address")) { try Location(latitude: 0, longitude: 0, name: "a") }
        #expect(throws: MessageBodyError.coordinates) { try Location(latitude: .nan, longitude: 0) }
    }

    @Test func `delivery receipts`() throws {
        let ids = [MessageID(1), MessageID(.max)]
        for status in DeliveryReceipt.Status.allCases {
            let body = MessageBody.chat(.deliveryReceipt(DeliveryReceipt(status, of: ids)))
            #expect(try body.encodedBody().hex == "0\(status.rawValue)0100000000000000ffffffffffffffff")
            #expect(try MessageBody.decoded(.deliveryReceipt, body.encodedBody()) == body)
            #expect(body.needsReplayProtection == (status.rawValue > 2))
        }
        for bytes in ["", "01", "0101020304050607", "010102030405060708ff", "0501020304050607ff", "000102030405060708"]
        {
            #expect(throws: MessageBodyError.self, "\(bytes)") {
                try MessageBody.decoded(.deliveryReceipt, [UInt8](hex: bytes)!)
            }
        }
    }

    @Test func `bodies of a fixed length have that length`() throws {
        let key = EnclosedKey.random()
        let blob = BlobID(Random.bytes(16))
        let picture = PictureMessage(blobID: blob, encryptedSize: .max, key: key)
        let video = LegacyVideo(
            duration: 300, blobID: blob, size: 1, thumbnailBlobID: BlobID(Random.bytes(16)), thumbnailSize: 2, key: key)
        let bodies: [MessageBody] = [
            .typing(true), .typing(false), .profilePicture(picture), .profilePicture(nil), .requestProfilePicture,
            .groupPicture(Self.group.id, picture), .groupPicture(Self.group.id, nil), .groupSyncRequest(Self.group.id),
            .groupLeave(Self.group), .empty,
            .chat(.image(LegacyImage(blobID: blob, size: 3, nonce: MessageNonce(Random.bytes(24))))),
            .chat(.video(video)),
        ]
        for body in bodies {
            let bytes = try body.encodedBody()
            #expect(try MessageBody.decoded(body.type, bytes) == body)
            #expect(throws: MessageBodyError.self) { try MessageBody.decoded(body.type, bytes + [0]) }
            if !bytes.isEmpty {
                #expect(throws: MessageBodyError.self) { try MessageBody.decoded(body.type, bytes.dropLast()) }
            }
        }
        #expect(throws: MessageBodyError.invalidValue) { try MessageBody.decoded(.typing, [2]) }
    }

    @Test func `references keep the fields that they do not know`() throws {
        let known = [UInt8](hex: "090807060504030201")!
        let rest = [UInt8](hex: "12026869" + "1801" + "2501020304")!
        for (type, make) in [
            (MessageType.edit, ChatContent.edit), (.delete, ChatContent.delete), (.reaction, ChatContent.reaction),
        ] {
            let body = MessageBody.chat(make(MessageReference(MessageID(0x0102_0304_0506_0708), otherFields: rest)))
            #expect(try body.encodedBody() == known + rest)
            #expect(try MessageBody.decoded(type, known + rest) == body)
            #expect(try MessageBody.decoded(type, rest + known) == body)
            for bytes in [rest, [], known.dropLast(), [0x08, 0x01], known + [0x0c]] as [[UInt8]] {
                #expect(throws: MessageBodyError.protobuf) { try MessageBody.decoded(type, bytes) }
            }
        }
    }

    @Test func `start of a group call`() throws {
        let start = GroupCallStart(protocolVersion: 1, key: .random(), serverURL: "https://sfu.example.org")
        let body = MessageBody.groupCallStart(Self.group, start)
        let bytes = try body.encodedBody()
        #expect(bytes.count == 16 + 2 + 34 + 25)
        #expect(try MessageBody.decoded(.groupCallStart, bytes) == body)
        #expect(throws: MessageBodyError.protobuf) { try MessageBody.decoded(.groupCallStart, Array(bytes[..<18])) }
        #expect(throws: MessageBodyError.tooShort(minimum: 16, actual: 15)) {
            try MessageBody.decoded(.groupCallStart, Array(bytes[..<15]))
        }
        let short = Array(bytes[..<16]) + [0x12, 0x01, 0x00]
        #expect(throws: MessageBodyError.protobuf) { try MessageBody.decoded(.groupCallStart, short) }
    }

    @Test func `groups of 256 and no more`() throws {
        let many = (0..<256).map { try! ThreemaID("0000" + (String($0 + 1000) + "0000").prefix(4)) }
        let bytes = try MessageBody.groupSetup(Self.group.id, members: Array(many[1...])).encodedBody()
        #expect(bytes.count == 8 * 256)
        #expect(throws: MessageBodyError.tooLong(limit: 255, actual: 256)) {
            try MessageBody.groupSetup(Self.group.id, members: many).encodedBody()
        }
        #expect(throws: MessageBodyError.invalidID) {
            try MessageBody.decoded(.groupSetup, bytes.dropLast() + [0])
        }
        #expect(throws: MessageBodyError.wrongLength(expected: 2040, actual: 2041)) {
            try MessageBody.decoded(.groupSetup, bytes + [48])
        }
    }

    @Test func `texts of 6000 bytes and no more, and only UTF-8`() throws {
        let text = String(repeating: "ä", count: 3000)
        #expect(try MessageBody.decoded(.text, MessageBody.chat(.text(text)).encodedBody()) == .chat(.text(text)))
        #expect(throws: MessageBodyError.tooLong(limit: 6000, actual: 6001)) {
            try MessageBody.chat(.text(text + "x")).encodedBody()
        }
        #expect(throws: MessageBodyError.notUnicode) { try MessageBody.decoded(.text, [0xc3]) }
        #expect(throws: MessageBodyError.notUnicode) {
            try MessageBody.decoded(.groupName, [0, 0, 0, 0, 0, 0, 0, 0, 0xff])
        }
        #expect(throws: MessageBodyError.tooLong(limit: 7000, actual: 7001)) {
            try MessageBody.opaque(.callOffer, .of([UInt8](repeating: 1, count: 7001))).encodedBody()
        }
        #expect(throws: MessageBodyError.invalidValue) {
            let image = LegacyImage(blobID: BlobID(Random.bytes(16)), size: 1, nonce: .zero)
            return try MessageBody.groupChat(Self.group, .image(image)).encodedBody()
        }
    }

    @Test func `the longest message fits into a payload`() throws {
        let (alice, gateway) = (try Party("000ALICE"), try Party("*GATEWAY"))
        var message = Message(
            .chat(.opaque(.audio, .of([UInt8](repeating: 1, count: 7000)))), from: alice, to: gateway)
        message.createdAt = Timestamp(milliseconds: .max)
        message.nickname = .set(String(repeating: "n", count: 32))
        let payload = try message.seal(
            keys: alice.keys(with: gateway.publicKey), nonce: .zero, randomPadding: 255
        ).encoded
        #expect(payload.count <= MessagePayload.maxCount)
        #expect(try gateway.open(MessagePayload(decoding: payload.span), from: alice.publicKey) == message)
        message.nickname = .set(String(repeating: "n", count: 33))
        #expect(throws: MessageError.body(.tooLong(limit: 32, actual: 33))) {
            try message.seal(keys: alice.keys(with: gateway.publicKey), nonce: .zero, randomPadding: 1)
        }
    }

    @Test(
        arguments: [
            .groupImage, .groupVideo, .audio, .groupAudio, .pollSetup, .pollVote, .groupPollSetup, .groupPollVote,
            .callOffer, .callAnswer, .callCandidate, .callHangup, .callRinging, .workDelta, .webSessionResume,
        ] as [MessageType])
    func `what is not read may hold a key, so it is in guarded memory and is not printed`(_ type: MessageType) throws {
        let group = type.container == .member ? Array("000ALICE".utf8) + [1, 2, 3, 4, 5, 6, 7, 8] : []
        for content in [[], [0xfa, 0xce], Array("secret".utf8)] as [[UInt8]] {
            let body = try MessageBody.decoded(type, group + content)
            let enclosed: EnclosedBytes
            switch body {
            case .opaque(type, let bytes), .chat(.opaque(_, let bytes)), .groupChat(_, .opaque(_, let bytes)):
                enclosed = bytes
            default: throw MessageBodyError.invalidValue
            }
            #expect(body.type == type)
            #expect(enclosed.bytes.copied == content)
            #expect("\(body)".contains("EnclosedBytes") && !"\(body)".contains("250"))
            #expect(try body.encodedBody() == group + content)
            #expect((enclosed == .of(content + [1])) == false && enclosed == .of(content))
        }
    }
}
