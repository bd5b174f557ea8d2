import SecureMemory
import Testing
import Threema
import ThreemaMessages
import VectorKit

@testable import Primitives
@testable import ThreemaCalls

@Suite struct HandshakeTests {
    private let call = EnclosedKey.random()
    private let alice = try! Member("000ALICE")
    private let bob = try! Member("00000BOB")
    private let keys = [MediaKey(epoch: 0, ratchet: 3, key: .random()), MediaKey(epoch: 1, ratchet: 0, key: .random())]

    /// Alice has joined, Bob was there.
    private func pair() -> (alice: TestPeer, bob: TestPeer) {
        (
            TestPeer(.joining, alice, others: [bob], call: call), TestPeer(.present, bob, others: [alice], call: call)
        )
    }

    /// Both sides, after both have said Hello, and Bob's Auth.
    private func untilAuth(_ pair: (alice: TestPeer, bob: TestPeer)) throws -> (toAlice: [UInt8], toBob: [UInt8]) {
        let hello = try #require(pair.alice.start().message)
        #expect(try pair.bob.receive(hello) == .findContact(alice.id, nickname: "A nickname"))
        guard case .send(let answers) = try pair.bob.authenticate(alice, keys) else { throw TestFailure() }
        try #require(answers.count == 2)
        #expect(try pair.alice.receive(answers[0]) == .findContact(bob.id, nickname: "A nickname"))
        let auth = try #require(pair.alice.authenticate(bob, [keys[0]]).message)
        return (answers[1], auth)
    }

    private struct TestFailure: Error {}

    @Test(arguments: try Vector.all(in: .threemaClient, op: "group-call-handshake"))
    func `messages of another program`(_ vector: Vector) throws {
        let inputs = vector.inputs
        let call = EnclosedKey(copying: try inputs.bytes("gck"))
        let alice = try Member("000ALICE", inputs.bytes("aliceCk"))
        let bob = try Member("00000BOB", inputs.bytes("bobCk"))
        let zeros = [UInt8](repeating: 0, count: 24)
        let one = TestPeer(
            .joining, alice, others: [bob], call: call,
            secrets: .fixed(
                privateKey: try inputs.bytes("alicePckSecret"), challenge: try inputs.bytes("alicePcck"),
                helloNonce: try inputs.bytes("helloNonce"), authNonce: zeros), nickname: "Alice")
        let other = TestPeer(
            .present, bob, others: [alice], call: call,
            secrets: .fixed(
                privateKey: try inputs.bytes("bobPckSecret"), challenge: try inputs.bytes("bobPcck"),
                helloNonce: zeros, authNonce: try inputs.bytes("authInnerNonce")), nickname: "Bob")
        let hello = try vector.expected.bytes("helloEncrypted")
        #expect(one.start() == .send([hello]))
        #expect(try other.receive(hello) == .findContact(alice.id, nickname: "Alice"))
        let auth = try vector.expected.bytes("authOuter")
        let sent = [
            MediaKey(epoch: 0, ratchet: 3, key: .init(copying: (0x55..<0x75).map { $0 })),
            MediaKey(epoch: 1, ratchet: 0, key: .init(copying: (0x66..<0x86).map { $0 })),
        ]
        guard case .send(let answers) = try other.authenticate(alice, sent) else { throw TestFailure() }
        #expect(answers[1] == auth)
        _ = try one.receive(answers[0])
        _ = try one.authenticate(bob, keys)
        #expect(try one.receive(auth) == .finished(mediaKeys: sent))
    }

    @Test func `both roles end with each other's keys, and talk`() throws {
        let pair = pair()
        let (toAlice, toBob) = try untilAuth(pair)
        #expect(try pair.alice.receive(toAlice) == .finished(mediaKeys: keys))
        #expect(try pair.bob.receive(toBob) == .finished(mediaKeys: [keys[0]]))
        #expect(pair.alice.finish() == bob.id)
        #expect(pair.bob.finish() == alice.id)
        let contents: [PeerSession.Content] = [.rekey(keys[1]), .other(4, [1, 2, 3]), .other(15, []), .rekey(keys[0])]
        for content in contents {
            let (fromAlice, fromBob) = (try pair.alice.seal(content), try pair.bob.seal(content))
            #expect(fromAlice != fromBob)
            // Neither side's own message comes back, and none opens twice.
            #expect(throws: SessionRefusal.notAuthentic) { try pair.alice.open(fromAlice) }
            #expect(try pair.bob.open(fromAlice) == content)
            #expect(throws: SessionRefusal.notAuthentic) { try pair.bob.open(fromAlice) }
            #expect(try pair.alice.open(fromBob) == content)
        }
        for number in [0, 1, 3, 16] {
            #expect(throws: CallMessageError.field(number)) { try pair.alice.seal(.other(number, [])) }
        }
        // A message that is lost ends the direction.
        _ = try pair.alice.seal(.other(4, []))
        let next = try pair.alice.seal(.other(4, []))
        #expect(throws: SessionRefusal.notAuthentic) { try pair.bob.open(next) }
    }

    @Test func `messages out of turn`() throws {
        let pair = pair()
        #expect(pair.bob.start() == .send([]))
        #expect(throws: HandshakeRefusal.outOfTurn) { try pair.bob.authenticate(alice, keys) }
        let hello = try #require(pair.alice.start().message)
        _ = try pair.bob.receive(hello)
        #expect(throws: HandshakeRefusal.outOfTurn) { try pair.bob.receive(hello) }
        #expect(pair.bob.finish() == nil)
        let second = self.pair()
        let (toAlice, _) = try untilAuth(second)
        _ = try second.alice.receive(toAlice)
        #expect(throws: HandshakeRefusal.outOfTurn) { try second.alice.receive(toAlice) }
    }

    @Test func `a Hello that is refused`() throws {
        let pair = pair()
        let hello = try #require(pair.alice.start().message)
        #expect(throws: HandshakeRefusal.reflected) { try pair.alice.receive(hello) }
        let stranger = TestPeer(.joining, try Member("STRANGER"), others: [bob], call: call)
        let strangers = try #require(stranger.start().message)
        #expect(throws: HandshakeRefusal.notMember(try ThreemaID("STRANGER"))) { try pair.bob.receive(strangers) }
        let other = TestPeer(.joining, alice, others: [bob], call: .random())
        let others = try #require(other.start().message)
        #expect(throws: HandshakeRefusal.helloNotAuthentic) { try pair.bob.receive(others) }
        #expect(throws: HandshakeRefusal.tooLong(limit: 65_536, actual: 65_537)) {
            try pair.bob.receive([UInt8](repeating: 0, count: 65_537))
        }
        // After all that the right one is taken.
        #expect(try pair.bob.receive(hello) == .findContact(alice.id, nickname: "A nickname"))
    }

    @Test func `an Auth that is refused`() throws {
        let pair = pair()
        let (toAlice, toBob) = try untilAuth(pair)
        #expect(throws: HandshakeRefusal.authNotAuthentic) { try pair.alice.receive(toBob) }
        // The Auth of another handshake of the same two.
        let second = self.pair()
        _ = try untilAuth(second)
        #expect(throws: HandshakeRefusal.authNotAuthentic) { try second.alice.receive(toAlice) }
        // Somebody else of the group who knows the call, under Bob's name.
        let impostor = TestPeer(.present, try Member("00000BOB"), others: [alice], call: call)
        let victim = TestPeer(.joining, alice, others: [bob], call: call)
        let (toVictim, _) = try untilAuth((victim, impostor))
        #expect(throws: HandshakeRefusal.notIdentity(bob.id)) { try victim.receive(toVictim) }
        #expect(try pair.alice.receive(toAlice) == .finished(mediaKeys: keys))
    }

    @Test func `nicknames are cut between characters`() throws {
        let name = String(repeating: "é", count: 15) + "👨‍👩‍👧"
        let one = TestPeer(.joining, alice, others: [bob], call: call, nickname: name)
        let other = TestPeer(.present, bob, others: [alice], call: call)
        let hello = try #require(one.start().message)
        #expect(
            try other.receive(hello) == .findContact(alice.id, nickname: String(repeating: "é", count: 15)))
    }

    @Test func `a thousand mutations of each message`() throws {
        var random = SeededRandom(seed: 2)
        let pair = pair()
        let hello = try #require(pair.alice.start().message)
        for _ in 0..<1000 {
            let mutation = hello.mutated(&random)
            #expect(throws: HandshakeRefusal.helloNotAuthentic) { try pair.bob.receive(mutation) }
        }
        let (toAlice, toBob) = try untilAuth(pair)
        for _ in 0..<1000 {
            let (one, other) = (toAlice.mutated(&random), toBob.mutated(&random))
            #expect(throws: HandshakeRefusal.authNotAuthentic) { try pair.alice.receive(one) }
            #expect(throws: HandshakeRefusal.authNotAuthentic) { try pair.bob.receive(other) }
        }
        _ = try pair.alice.receive(toAlice)
        _ = try pair.bob.receive(toBob)
        _ = (pair.alice.finish(), pair.bob.finish())
        let message = try pair.alice.seal(.rekey(keys[0]))
        for _ in 0..<1000 {
            let mutation = message.mutated(&random)
            #expect(throws: SessionRefusal.notAuthentic) { try pair.bob.open(mutation) }
        }
        #expect(try pair.bob.open(message) == .rekey(keys[0]))
    }
}
