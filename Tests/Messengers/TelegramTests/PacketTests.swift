import Primitives
import SecureMemory
import Testing
import VectorKit

@testable import Telegram

/// Packets, containers and service messages.
@Suite struct PacketTests {
    typealias Packet = LegacyMTProto1.Packet
    typealias Container = LegacyMTProto1.Container
    typealias Message = LegacyMTProto1.Message

    private static let keyBytes = Random.bytes(256)
    private func key() throws -> AuthorizationKey { try authorizationKey(Self.keyBytes) }

    private func content(_ data: [UInt8]) -> LegacyMTProto1.Content {
        LegacyMTProto1.Content(
            salt: 1 << 63, session: .max,
            message: Message(id: MessageID(0x8000_0000_0000_0004), sequence: 7, data: data))
    }

    @Test(arguments: LegacyMTProto1.Direction.allCases)
    func `data of any length is padded to 16 bytes, and comes back`(_ direction: LegacyMTProto1.Direction) throws {
        for count in 0..<100 {
            let content = content(Random.bytes(count))
            let packet = try Packet.seal(content, key: key(), direction)
            #expect(packet.count == 24 + (32 + count + 15) / 16 * 16)
            #expect(try Packet.open(packet.span, key: key(), direction) == content)
        }
    }

    @Test func `the packet with an empty message has 56 bytes, the least`() throws {
        #expect(Packet.minCount == 56)
        let packet = try Packet.seal(content([]), key: key(), .fromClient)
        #expect(packet.count == 56)
        for count in [0, 8, 24, 40, 55, 57, 71, (1 << 24) + 8] {
            let other = [UInt8](repeating: 1, count: count)
            #expect(throws: PacketError.malformed) { try Packet.keyID(of: other.span) }
            #expect(throws: PacketError.malformed) { try Packet.open(other.span, key: key(), .fromClient) }
        }
    }

    @Test func `a message that is too long is not sealed`() throws {
        let limit = (1 << 24) - 56 - 15
        #expect(throws: PacketError.tooLong(limit: limit)) {
            try Packet.seal(content([UInt8](repeating: 0, count: limit + 1)), key: key(), .fromClient)
        }
    }

    @Test func `zero is the ID of no key`() throws {
        var packet = try Packet.seal(content([1]), key: key(), .fromClient)
        packet.replaceSubrange(0..<8, with: KeyID.zero.bytes)
        #expect(throws: PacketError.unknownKey(.zero)) { try Packet.open(packet.span, key: key(), .fromClient) }
    }

    /// A packet whose length of data is not that of the data.
    private func packet(announcing length: UInt32, room: Int, hashed: Int) throws -> [UInt8] {
        var plain = Random.bytes(28)
        plain.append(number: length)
        plain += Random.bytes(room)
        let messageKey = LegacyMTProto1.messageKey(of: plain.span.extracting(0..<hashed))
        let keys = LegacyMTProto1.blockKeys(try key(), messageKey: messageKey, .fromClient)
        return try key().id.bytes + messageKey + keys.encrypt(plain.span)
    }

    @Test func `a length that does not fit is refused, also with a right message key`() throws {
        // The key is right for what a careless reader would hash.
        for length: UInt32 in [33, 48, 0x7fff_ffff, 0x8000_0000, 0xffff_ffe0, 0xffff_ffff] {
            let packet = try self.packet(announcing: length, room: 32, hashed: 64)
            #expect(throws: PacketError.notAuthentic) { try Packet.open(packet.span, key: key(), .fromClient) }
        }
        // 16 bytes of padding are one too many, 15 are not.
        let padded = try packet(announcing: 16, room: 32, hashed: 48)
        #expect(throws: PacketError.notAuthentic) { try Packet.open(padded.span, key: key(), .fromClient) }
        let right = try packet(announcing: 17, room: 32, hashed: 49)
        #expect(try Packet.open(right.span, key: key(), .fromClient).message.data.count == 17)
    }

    @Test func `each changed bit before the padding is refused`() throws {
        let packet = try Packet.seal(content(Random.bytes(16)), key: key(), .fromServer)
        for index in packet.indices {
            for bit in 0..<8 {
                var changed = packet
                changed[index] ^= 1 << UInt8(bit)
                let error: PacketError =
                    index < 8 ? .unknownKey(KeyID(Array(changed.prefix(8)))) : .notAuthentic
                #expect(throws: error) { try Packet.open(changed.span, key: key(), .fromServer) }
            }
        }
    }

    @Test func `the padding is outside of the message key`() throws {
        let first = try Packet.seal(content([1]), key: key(), .fromClient) { [UInt8](repeating: 0, count: $0) }
        let second = try Packet.seal(content([1]), key: key(), .fromClient) { [UInt8](repeating: 9, count: $0) }
        #expect(first[..<24] == second[..<24] && first != second)
    }

    @Test func `packets without encryption`() throws {
        let packet = PlainPacket(id: MessageID(6), data: [1, 2, 3])
        let bytes = try packet.encoded()
        #expect(bytes.hex == "0000000000000000060000000000000003000000010203")
        #expect(try PlainPacket(decoding: bytes.span) == packet)
        for (place, value) in [(16, 2), (16, 4), (19, 0x80)] as [(Int, UInt8)] {
            var changed = bytes
            changed[place] = value
            #expect(throws: PacketError.malformed) { try PlainPacket(decoding: changed.span) }
        }
        var encrypted = bytes
        encrypted[0] = 1
        #expect(throws: PacketError.unknownKey(KeyID(number: 1))) { try PlainPacket(decoding: encrypted.span) }
        #expect(throws: PacketError.malformed) { try PlainPacket(decoding: bytes.span.extracting(0..<19)) }
        #expect(throws: PacketError.tooLong(limit: (1 << 20) - 20)) {
            try PlainPacket(id: MessageID(4), data: [UInt8](repeating: 0, count: (1 << 20) - 19)).encoded()
        }
    }

    private func container(_ members: [Message], id: UInt64 = 1012, sequence: UInt32 = 4) -> Message {
        Message(id: MessageID(id), sequence: sequence, data: Container.encode(members))
    }

    @Test func `a container gives its messages`() throws {
        let members = [
            Message(id: MessageID(1000), sequence: 1, data: [1, 2, 3, 4]),
            Message(id: MessageID(1008), sequence: 4, data: []),
        ]
        let container = container(members)
        #expect(Container.isContainer(container.data))
        #expect(
            container.data.hex
                == "dcf8f17302000000e803000000000000010000000400000001020304f0030000000000000400000000000000")
        #expect(try Container.decode(container) == members)
        #expect(try Container.decode(self.container([])) == [])
        #expect(!Container.isContainer([0xdc, 0xf8, 0xf1]) && !Container.isContainer([]))
    }

    @Test func `a container is made after its messages`() {
        for (id, sequence) in [(1012, 1), (1016, 1), (1000, 5)] as [(UInt64, UInt32)] {
            let member = Message(id: MessageID(id), sequence: sequence, data: [])
            #expect(throws: ContainerError.notAbove(MessageID(id))) { try Container.decode(container([member])) }
        }
    }

    @Test func `malformed containers are refused`() throws {
        let inner = container([], id: 1000)
        #expect(throws: ContainerError.nested) { try Container.decode(container([inner])) }
        let right = container([Message(id: MessageID(1000), sequence: 1, data: [1, 2, 3, 4])]).data
        func refuse(_ data: [UInt8]) {
            let container = Message(id: MessageID(1012), sequence: 4, data: data)
            #expect(throws: ContainerError.malformed) { try Container.decode(container) }
        }
        for count in right.indices { refuse(Array(right[..<count])) }
        refuse(right + [0])
        for (place, value) in [(0, 0), (4, 2), (7, 0xff), (20, 5), (23, 0xff), (20, 3)] as [(Int, UInt8)] {
            var changed = right
            changed[place] = value
            refuse(changed)
        }
    }

    @Test func `a container has at most 1024 messages`() throws {
        let members = (0..<1025).map { Message(id: MessageID($0), sequence: 0, data: []) }
        #expect(try Container.decode(container(Array(members.dropLast()), id: 5000)).count == 1024)
        #expect(throws: ContainerError.tooMany(limit: 1024)) { try Container.decode(container(members, id: 5000)) }
        var session = LegacyMTProto1.Session(.client, key: try key(), id: 1, salt: 1)
        let parts = [LegacyMTProto1.Session.Part](repeating: .new([], isContent: false), count: 1025)
        #expect(throws: SendingError.tooMany(limit: 1024)) {
            try session.sealContainer(parts, key: key(), now: MessageTime(seconds: 1))
        }
    }

    @Test func `service messages`() throws {
        let messages: [(ServiceMessage, String, Bool)] = [
            (
                .acknowledgement([MessageID(5), MessageID(9)]),
                "59b4d66215c4b51c0200000005000000000000000900000000000000", false
            ),
            (
                .badSalt(id: MessageID(4), sequence: 1, code: 48, salt: 2),
                "7b44abed040000000000000001000000300000000200000000000000", true
            ), (.badMessage(id: MessageID(4), sequence: 1, code: 16), "11f8efa704000000000000000100000010000000", true),
            (.badMessage(id: MessageID(4), sequence: 1, code: 17), "11f8efa704000000000000000100000011000000", true),
            (.badMessage(id: MessageID(4), sequence: 1, code: 32), "11f8efa704000000000000000100000020000000", false),
            (
                .newSession(firstID: MessageID(4), uniqueID: 3, salt: 2),
                "0809c29e040000000000000003000000000000000200000000000000", false
            ),
        ]
        for (message, hex, isRepair) in messages {
            #expect(message.encoded.hex == hex && message.isRepair == isRepair)
            #expect(try ServiceMessage(decoding: message.encoded) == message)
            for count in 4..<message.encoded.count {
                #expect(throws: PacketError.malformed) {
                    try ServiceMessage(decoding: Array(message.encoded[..<count]))
                }
            }
            #expect(throws: PacketError.malformed) { try ServiceMessage(decoding: message.encoded + [0]) }
        }
        for other: [UInt8] in [[], [1, 2, 3], [1, 2, 3, 4, 5]] { #expect(try ServiceMessage(decoding: other) == nil) }
    }
}
