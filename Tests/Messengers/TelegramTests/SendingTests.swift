import SecureMemory
import Testing
import VectorKit

@testable import Telegram

/// IDs, sequence numbers and containers of messages to send.
@Suite struct SendingTests {
    private static let keyBytes = Random.bytes(256)
    static func key() throws -> AuthorizationKey { try authorizationKey(keyBytes) }

    private let now = MessageTime(seconds: 1_700_000_000, nanoseconds: 123_456_789)

    private func session(_ role: LegacyMTProto1.Session.Role = .client) throws -> LegacyMTProto1.Session {
        LegacyMTProto1.Session(role, key: try Self.key(), id: 7, salt: 9)
    }

    @Test func `an ID has the time and the kind`() {
        for kind in MessageID.Kind.allCases {
            let id = MessageID(now, kind)
            #expect(id.number % 4 == kind.rawValue && id.number / 4 == now.number / 4)
            #expect(id.isFromClient == (kind == .client))
            #expect(id.time <= now && now.number - id.time.number < 4)
        }
        // The mapping itself allows an empty fraction.
        #expect(MessageID(MessageTime(seconds: 5), .client).number == 5 << 32)
        #expect(MessageTime(seconds: .max, nanoseconds: 999_999_999).number > UInt64.max - 8)
    }

    @Test func `IDs increase, whatever the clock does`() throws {
        var session = try session()
        var last = MessageID(0)
        let clock = [now, now, MessageTime(seconds: 5), now, MessageTime(number: now.number + 3)]
        for time in clock + clock {
            let id = try session.number([], isContent: true, as: .unasked, time).id
            #expect(id > last && id.number % 4 == 0)
            if time <= now, last.number > 0 { #expect(id.number == last.number + 4) }
            last = id
        }
        // Of a server, all kinds in any order.
        var server = try self.session(.server)
        last = MessageID(0)
        for isReply in [false, true, true, false, true, false, false] {
            let id = try server.number([], isContent: true, as: isReply ? .reply : .unasked, now).id
            #expect(id > last && id.number % 4 == (isReply ? 1 : 3))
            last = id
        }
    }

    @Test func `a client's ID has a fraction, a server's needs none`() throws {
        var client = try session()
        #expect(
            try client.number([], isContent: false, as: .unasked, MessageTime(seconds: 5)).id.number == 5 << 32 + 4)
        // The next one after the last of a second.
        client.lastID = MessageID(6 << 32 - 4)
        #expect(
            try client.number([], isContent: false, as: .unasked, MessageTime(seconds: 5)).id.number == 6 << 32 + 4)
        var server = try session(.server)
        #expect(
            try server.number([], isContent: false, as: .reply, MessageTime(seconds: 5)).id.number == 5 << 32 + 1)
    }

    @Test func `the IDs and the numbers end`() throws {
        var session = try session()
        session.lastID = MessageID(.max - 3)
        let before = session
        #expect(throws: SendingError.noMoreIDs) { try session.seal([], isContent: false, key: Self.key(), now: now) }
        #expect(session == before)
        session.lastID = nil
        session.contentCount = 1 << 30 - 2
        #expect(try session.number([], isContent: true, as: .unasked, now).sequence == Int32.max - 2)
        #expect(throws: SendingError.noMoreNumbers) {
            try session.seal([], isContent: true, key: Self.key(), now: now)
        }
        // The protocol's number has a sign.
        #expect(try session.number([], isContent: false, as: .unasked, now).sequence == Int32.max - 1)
    }

    @Test func `sequence numbers count content messages`() throws {
        var session = try session()
        let isContent = [true, false, true, true, false, false, true]
        let sequences = try isContent.map {
            try session.number([], isContent: $0, as: .unasked, now).sequence
        }
        #expect(sequences == [1, 2, 3, 5, 6, 6, 7])
        #expect(session.contentCount == 4)
    }

    @Test func `a container comes after its members`() throws {
        var session = try session()
        let first = try session.seal([1], isContent: true, key: Self.key(), now: now).message
        let sealed = try session.sealContainer(
            [.new([2], isContent: true), .again(first), .new([3], isContent: false)], key: Self.key(), now: now)
        #expect(sealed.members.map(\.sequence) == [3, 1, 4] && sealed.message.sequence == 4)
        #expect(sealed.members.allSatisfy { $0.id < sealed.message.id })
        #expect(sealed.members[1] == first)
        let opened = try LegacyMTProto1.Packet.open(sealed.packet.span, key: Self.key(), .fromClient)
        #expect(opened.salt == 9 && opened.session == 7 && opened.message == sealed.message)
        #expect(try LegacyMTProto1.Container.decode(opened.message) == sealed.members)
    }

    @Test func `a container has messages, and no container`() throws {
        var session = try session()
        let first = try session.seal([1], isContent: true, key: Self.key(), now: now).message
        let container = try session.sealContainer([.again(first)], key: Self.key(), now: now).message
        let before = session
        let data = Array(container.data.prefix(4))
        for nested in [.again(container), .new(data, isContent: true)] as [LegacyMTProto1.Session.Part] {
            #expect(throws: SendingError.nested) {
                try session.sealContainer([.again(first), nested], key: Self.key(), now: now)
            }
        }
        #expect(throws: SendingError.empty) { try session.sealContainer([], key: Self.key(), now: now) }
        #expect(session == before)
        _ = try session.sealContainer([.new(Array(data.dropLast()), isContent: true)], key: Self.key(), now: now)
    }

    @Test func `a container has the length that a packet may have`() throws {
        var session = try session()
        let most = LegacyMTProto1.Packet.maxDataCount - 8 - 16
        #expect(most == 1 << 24 - 56 - 15 - 24)
        let data = [UInt8](repeating: 0, count: most)
        let sealed = try session.sealContainer([.new(data, isContent: true)], key: Self.key(), now: now)
        #expect(sealed.packet.count <= LegacyMTProto1.Packet.maxCount && sealed.message.data.count == most + 24)
        let before = session
        #expect(throws: SendingError.tooLong) {
            try session.sealContainer([.new(data + [0], isContent: true)], key: Self.key(), now: now)
        }
        // These share 16 MiB, and would have 16 GiB one behind the other.
        let parts = [LegacyMTProto1.Session.Part](repeating: .new(data, isContent: true), count: 1024)
        #expect(throws: SendingError.tooLong) { try session.sealContainer(parts, key: Self.key(), now: now) }
        #expect(session == before)
    }

    @Test func `a message of another session is not sent again`() throws {
        var session = try session()
        let other = LegacyMTProto1.Message(id: MessageID(4), sequence: 1, data: [])
        #expect(throws: SendingError.notOfThisSession(MessageID(4))) {
            try session.sealContainer([.again(other)], key: Self.key(), now: now)
        }
        _ = try session.seal([], isContent: true, key: Self.key(), now: now)
        let before = session
        let later = LegacyMTProto1.Message(id: MessageID(.max), sequence: 1, data: [])
        #expect(throws: SendingError.notOfThisSession(later.id)) {
            try session.sealContainer([.new([], isContent: true), .again(later)], key: Self.key(), now: now)
        }
        let numbered = LegacyMTProto1.Message(id: MessageID(4), sequence: 3, data: [])
        #expect(throws: SendingError.notOfThisSession(MessageID(4))) {
            try session.sealContainer([.again(numbered)], key: Self.key(), now: now)
        }
        #expect(session == before)
    }

    @Test func `another key and a message that is too long change nothing`() throws {
        var session = try session()
        let before = session
        let other = try authorizationKey(Random.bytes(256))
        #expect(throws: SendingError.otherKey(other.id)) {
            try session.seal([], isContent: true, key: other, now: now)
        }
        #expect(throws: SendingError.tooLong) {
            try session.seal([UInt8](repeating: 0, count: 1 << 24), isContent: true, key: Self.key(), now: now)
        }
        #expect(session == before)
    }
}
