import SecureMemory
import Testing
import VectorKit

@testable import Telegram

/// The checks of a received packet, and their order.
@Suite struct ReceivingTests {
    typealias Session = LegacyMTProto1.Session
    typealias Message = LegacyMTProto1.Message

    private static let keyBytes = Random.bytes(256)
    private func key() throws -> AuthorizationKey { try authorizationKey(Self.keyBytes) }

    private let now = MessageTime(seconds: 1_700_000_000, nanoseconds: 500_000_000)
    private let salt: UInt64 = 11
    private let id: UInt64 = 7

    private func session(_ role: Session.Role, capacity: Int = 400) throws -> Session {
        Session(role, key: try key(), id: id, salt: salt, capacity: capacity)
    }

    /// A message at so many seconds from now.
    private func message(
        _ seconds: Double, _ kind: MessageID.Kind = .server, _ data: [UInt8] = [1]
    ) -> Message {
        let time = MessageTime(number: UInt64(Int64(now.number) + Int64(seconds * 4_294_967_296)))
        return Message(id: MessageID(time, kind), sequence: 0, data: data)
    }

    private func packet(
        _ message: Message, session: UInt64? = nil, salt: UInt64? = nil,
        _ direction: LegacyMTProto1.Direction = .fromServer
    ) throws -> [UInt8] {
        let content = LegacyMTProto1.Content(salt: salt ?? self.salt, session: session ?? id, message: message)
        return try LegacyMTProto1.Packet.seal(content, key: key(), direction)
    }

    @discardableResult
    private func receive(
        _ packet: [UInt8], _ session: inout Session, trustsClock: Bool = true
    ) throws -> Session.Received {
        try session.receive(packet.span, key: key(), now: now, trustsClock: trustsClock)
    }

    private func refuses(_ refusal: Refusal, _ packet: [UInt8], _ session: inout Session, at now: MessageTime? = nil) {
        let before = session
        #expect(throws: refusal) {
            try session.receive(packet.span, key: key(), now: now ?? self.now)
        }
        #expect(session == before)
    }

    @Test func `a message is accepted once`() throws {
        var session = try session(.client)
        let message = message(-1)
        let received = try receive(packet(message), &session)
        #expect(received == Session.Received(message: message, accepted: [message], refused: []))
        #expect(session.received.ids == [message.id])
        refuses(.duplicate, try packet(message), &session)
    }

    /// Each packet has the fault of its step and those of all later steps.
    @Test func `the first fault counts`() throws {
        var server = try session(.server)
        let stored = message(1, .client)
        try receive(packet(stored, .fromClient), &server)

        // From the last step to the first.
        refuses(.olderThanWindow, try packet(message(-300, .client), .fromClient), &server)
        refuses(.duplicate, try packet(stored, .fromClient), &server)
        refuses(.tooOld, try packet(message(-301, .client), .fromClient), &server)
        refuses(.badSalt, try packet(message(-301, .client), salt: 12, .fromClient), &server)
        let own = message(-301, .serverReply)
        refuses(.wrongDirection(own.id), try packet(own, salt: 12, .fromClient), &server)
        refuses(.wrongSession(8), try packet(own, session: 8, salt: 12, .fromClient), &server)
        var changed = try packet(own, session: 8, salt: 12, .fromClient)
        changed[30] ^= 1
        refuses(.notAuthentic, changed, &server)
        changed[0] ^= 1
        refuses(.unknownKey(KeyID(Array(changed[..<8]))), changed, &server)
        changed.append(0)
        refuses(.malformed, changed, &server)
    }

    @Test func `an unauthentic packet leaves no ID`() throws {
        var session = try session(.client)
        var changed = try packet(message(30))
        changed[changed.count - 1] ^= 1
        changed[24] ^= 1
        refuses(.notAuthentic, changed, &session)
        #expect(session.received.count == 0)
        #expect(try receive(packet(message(-200)), &session).accepted.count == 1)
    }

    @Test func `both directions`() throws {
        var client = try session(.client)
        var server = try session(.server)
        // A packet of the other direction has another AES key.
        refuses(.notAuthentic, try packet(message(0, .client), .fromClient), &client)
        refuses(.notAuthentic, try packet(message(0, .server)), &server)
        // One of the right direction with an ID of the other side.
        let even = message(0, .client)
        refuses(.wrongDirection(even.id), try packet(even), &client)
        // Of a client, any even number: real ones are not all divisible by 4.
        let odd = Message(id: MessageID(message(0, .client).id.number + 2), sequence: 0, data: [])
        #expect(try receive(packet(odd, .fromClient), &server).accepted == [odd])
    }

    @Test func `time: both limits are included, fractions count`() throws {
        let fraction = 1.0 / 1_073_741_824
        for (seconds, refusal) in [
            (-300, nil), (-300 - fraction, .tooOld), (30, nil), (30 + fraction, .tooNew), (-1e6, .tooOld),
            (1e6, .tooNew),
        ] as [(Double, Refusal?)] {
            for role in [Session.Role.client, .server] {
                var session = try session(role)
                let packet = try self.packet(
                    message(seconds, role == .client ? .server : .client), role == .client ? .fromServer : .fromClient)
                if let refusal {
                    refuses(refusal, packet, &session)
                } else {
                    #expect(try receive(packet, &session).accepted.count == 1)
                }
            }
        }
    }

    @Test func `a client that does not trust its clock has no check of time, a server has`() throws {
        var client = try session(.client)
        #expect(try receive(packet(message(-1e6)), &client, trustsClock: false).accepted.count == 1)
        #expect(try receive(packet(message(1e6)), &client, trustsClock: false).accepted.count == 1)
        var server = try session(.server)
        #expect(throws: Refusal.tooOld) {
            try receive(packet(message(-1e6, .client), .fromClient), &server, trustsClock: false)
        }
    }

    @Test func `what repairs salt or clock is read at any time, by a client`() throws {
        var client = try session(.client)
        let salt = ServiceMessage.badSalt(id: MessageID(4), sequence: 1, code: 48, salt: 2)
        let clock = ServiceMessage.badMessage(id: MessageID(4), sequence: 1, code: 16)
        #expect(try receive(packet(message(-1000, .server, salt.encoded)), &client).accepted.count == 1)
        #expect(try receive(packet(message(1000, .server, clock.encoded)), &client).accepted.count == 1)
        // Only once.
        refuses(.duplicate, try packet(message(1000, .server, clock.encoded)), &client)
        let other = ServiceMessage.badMessage(id: MessageID(4), sequence: 1, code: 64)
        refuses(.tooNew, try packet(message(1001, .server, other.encoded)), &client)
        refuses(.tooNew, try packet(message(1001, .server, salt.encoded + [0])), &client)
        var server = try session(.server)
        refuses(.tooNew, try packet(message(1001, .client, salt.encoded), .fromClient), &server)
    }

    @Test func `a server accepts the previous salt for 300 seconds, a client any salt`() throws {
        var server = try session(.server)
        server.salts.change(to: 12, at: now)
        for (seconds, isAccepted) in [(0, true), (300, true), (301, false)] as [(UInt64, Bool)] {
            let later = MessageTime(number: now.number + seconds << 32)
            let message = Message(id: MessageID(later, .client), sequence: 0, data: [])
            if isAccepted {
                let packet = try self.packet(message, .fromClient)
                _ = try server.receive(packet.span, key: key(), now: later)
            } else {
                refuses(.badSalt, try self.packet(message, .fromClient), &server, at: later)
                let packet = try self.packet(message, salt: 12, .fromClient)
                _ = try server.receive(packet.span, key: key(), now: later)
            }
        }
        server.salts.change(to: 13, at: now)
        refuses(.badSalt, try packet(message(5, .client), .fromClient), &server)
        var client = try session(.client)
        #expect(try receive(packet(message(0), salt: 99), &client).accepted.count == 1)
    }

    private func container(_ ids: [UInt64], id: UInt64) -> Message {
        let members = ids.map { Message(id: MessageID($0), sequence: 0, data: [UInt8(truncatingIfNeeded: $0)]) }
        return Message(id: MessageID(id), sequence: 0, data: LegacyMTProto1.Container.encode(members))
    }

    @Test func `the members of a container are accepted, in any order`() throws {
        var session = try session(.client)
        let base = message(0).id.number
        let received = try receive(packet(container([base + 8, base + 4], id: base + 12)), &session)
        #expect(received.accepted.map(\.id.number) == [base + 8, base + 4] && received.refused.isEmpty)
        #expect(session.received.ids.map(\.number) == [base + 4, base + 8, base + 12])
        refuses(.duplicate, try packet(container([base + 16], id: base + 12)), &session)
        // Registered first, a container would make its members older than everything.
        var window = ReplayWindow()
        let results = [1012, 1000, 1004].map { window.insert(MessageID($0)) }
        #expect(results == [.new, .olderThanWindow, .olderThanWindow])
    }

    @Test func `a member is refused alone`() throws {
        var session = try session(.client)
        let base = message(0).id.number
        try receive(packet(Message(id: MessageID(base), sequence: 0, data: [])), &session)
        let ids = [base, base - 4, base + 4, base + 4, base + 5]
        let received = try receive(packet(container(ids, id: base + 12)), &session)
        #expect(received.accepted.map(\.id.number) == [base + 4])
        #expect(
            received.refused == [
                Session.Refused(id: MessageID(base), reason: .duplicate),
                Session.Refused(id: MessageID(base - 4), reason: .olderThanWindow),
                Session.Refused(id: MessageID(base + 4), reason: .duplicate),
                Session.Refused(id: MessageID(base + 5), reason: .wrongDirection(MessageID(base + 5))),
            ])
    }

    @Test func `a member may be old, a container may not`() throws {
        var session = try session(.client)
        let old = message(-1000).id.number
        #expect(try receive(packet(container([old], id: message(0).id.number)), &session).accepted.count == 1)
        refuses(.tooOld, try packet(container([old + 4], id: message(-301).id.number)), &session)
    }

    @Test func `a malformed container leaves nothing`() throws {
        var session = try session(.client)
        var message = container([message(-1).id.number], id: message(0).id.number)
        message.data.append(0)
        refuses(.container(.malformed), try packet(message), &session)
        let nested = container([], id: self.message(-1).id.number)
        message.data = LegacyMTProto1.Container.encode([nested])
        refuses(.container(.nested), try packet(message), &session)
        let above = container([self.message(1).id.number], id: self.message(0).id.number)
        refuses(.container(.notAbove(self.message(1).id)), try packet(above), &session)
    }

    @Test func `two sides talk, and stored sides go on`() throws {
        var client = try session(.client)
        var server = try session(.server)
        for number in 0..<20 {
            let question = try client.seal([UInt8(number)], isContent: true, key: key(), now: now)
            let asked = try receive(question.packet, &server)
            #expect(asked.accepted == [question.message])
            let answer = try server.sealContainer(
                [
                    .new(ServiceMessage.acknowledgement([question.message.id]).encoded, isContent: false),
                    .new([UInt8(number)], isContent: true),
                ], as: .reply, key: key(), now: now)
            #expect(try receive(answer.packet, &client).accepted == answer.members)
            let (storedClient, storedServer) = (client.encoded, server.encoded)
            #expect(try Session(decoding: storedClient.span) == client)
            (client, server) = (try Session(decoding: storedClient.span), try Session(decoding: storedServer.span))
            refuses(.duplicate, answer.packet, &client)
            refuses(.duplicate, question.packet, &server)
        }
        #expect(client.contentCount == 20 && server.received.count == 20 && client.received.count == 60)
    }
}
