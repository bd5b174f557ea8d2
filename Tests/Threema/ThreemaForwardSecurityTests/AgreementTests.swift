import SecureMemory
import Testing
import Threema
import ThreemaMessages

@testable import ThreemaForwardSecurity

@Suite struct AgreementTests {
    private let alice = Pair.alice
    private let bob = Pair.bob

    @Test func `a session goes from 2DH to 4DH in both directions`() throws {
        let pair = try Pair()
        let first = try pair.post(alice)
        #expect(first.count == 2)
        #expect(try pair.states(alice) == [.L20, nil])
        #expect(try pair.encapsulated(first[1])?.message.mode == .twoDH)
        let began = try pair.deliver(first, to: bob)
        let id = try #require(try pair.best(alice))
        #expect(began == [.began(id, replacing: false), .message(.twoDH, skipped: 0)])
        // The Accept waits in the outbox.
        #expect(try pair.states(bob) == [nil, .R20])
        let accept = try pair.flush(bob)
        #expect(try pair.states(bob) == [nil, .R24])

        // Alice does not have the Accept yet.
        #expect(try pair.deliver(pair.post(alice), to: bob) == [.message(.twoDH, skipped: 0)])
        #expect(try pair.deliver(accept, to: alice) == [.agreed(id)])
        #expect(try pair.states(alice) == [.L44, nil])
        let second = try pair.post(alice)
        #expect(try pair.encapsulated(second[0])?.message.mode == .fourDH)
        #expect(try pair.deliver(second, to: bob) == [.message(.fourDH, skipped: 0)])
        #expect(try pair.states(bob) == [nil, .R44])
        #expect(try pair.deliver(pair.post(bob), to: alice) == [.message(.fourDH, skipped: 0)])
        for place in [alice, bob] { #expect(pair.sides[place].delivered.values.allSatisfy { $0 == 1 }) }
        #expect(pair.sides[bob].delivered.count == 3)
    }

    @Test func `a responder sends with 4DH behind its Accept`() throws {
        let pair = try Pair()
        try pair.deliver(pair.post(alice), to: bob)
        let sent = try pair.post(bob)
        let contents = try sent.map { try pair.envelope($0)?.content }
        guard case .accept = contents[0], case .encapsulated(let message) = contents[1] else {
            Issue.record("not an Accept and a message")
            return
        }
        #expect(message.mode == .fourDH)
        #expect(try pair.deliver(sent, to: alice).last == .message(.fourDH, skipped: 0))
    }

    @Test func `ephemeral keys and the 2DH chain are erased when they are not needed`() throws {
        let pair = try Pair()
        let first = try pair.post(alice)
        func keys(_ place: Int) throws -> [Bool] {
            let conversation = try pair.sides[place].conversation()
            func present(_ session: borrowing Session) -> [Bool] {
                [session.ephemeral != nil, session.chain2 != nil, session.incoming4 != nil]
            }
            return conversation.sessions.local.lend(present) ?? conversation.sessions.remote.lend(present) ?? []
        }
        #expect(try keys(alice) == [true, true, false])
        try pair.deliver(first, to: bob)
        #expect(try keys(bob) == [false, true, true])
        try pair.deliver(pair.flush(bob), to: alice)
        #expect(try keys(alice) == [false, false, true])
        try pair.deliver(pair.post(alice), to: bob)
        #expect(try keys(bob) == [false, false, true])
    }

    @Test(arguments: UInt64(0)..<12)
    func `after both have begun, both use the session with the lower ID`(_ seed: UInt64) throws {
        let pair = try Pair(seed: seed)
        let (fromAlice, fromBob) = (try pair.post(alice), try pair.post(bob))
        let ids = try [fromAlice, fromBob].map { try #require(try pair.envelope($0[0])).session }
        #expect(
            try pair.deliver(fromAlice, to: bob) == [.began(ids[0], replacing: false), .message(.twoDH, skipped: 0)])
        #expect(
            try pair.deliver(fromBob, to: alice) == [.began(ids[1], replacing: false), .message(.twoDH, skipped: 0)])
        let (toAlice, toBob) = (try pair.flush(bob), try pair.flush(alice))
        try pair.deliver(toAlice, to: alice)
        try pair.deliver(toBob, to: bob)
        let lower = min(ids[0], ids[1])
        for place in [alice, bob] {
            let sent = try pair.post(place)
            #expect(try pair.encapsulated(sent[0])?.session == lower)
            #expect(try pair.deliver(sent, to: 1 - place) == [.message(.fourDH, skipped: 0)])
            // The other session is not needed any more.
            #expect(try pair.states(1 - place).compactMap { $0 }.count == 1)
        }
    }

    @Test func `an Init ends the sessions that the contact has lost`() throws {
        let pair = try Pair.agreed()
        pair.sides[alice].reset()
        let again = try pair.post(alice)
        let events = try pair.deliver(again, to: bob)
        let id = try #require(try pair.best(alice))
        #expect(events == [.began(id, replacing: true), .message(.twoDH, skipped: 0)])
        #expect(try pair.best(bob) == id)
    }

    @Test func `an Init also ends the session that this side has begun and agreed upon`() throws {
        let pair = try Pair.agreed()
        #expect(try pair.states(alice) == [.L44, nil])
        pair.sides[bob].reset()
        try pair.deliver(pair.post(bob), to: alice)
        #expect(try pair.states(alice) == [nil, .R20])
    }

    @Test(arguments: UInt64(0)..<6)
    func `a session with 4DH is used before one without, whatever their IDs`(_ seed: UInt64) throws {
        let pair = try Pair(seed: seed)
        _ = try pair.post(alice)
        let fromBob = try pair.post(bob)
        try pair.deliver(fromBob, to: alice)
        #expect(try pair.states(alice) == [.L20, .R20])
        let sent = try #require(try pair.post(alice).last)
        let (session, message) = try #require(try pair.encapsulated(sent))
        #expect(try message.mode == .fourDH && session == pair.envelope(fromBob[0])?.session)
    }

    @Test func `an Init with a known ID has no effect`() throws {
        let pair = try Pair.agreed()
        let id = try #require(try pair.best(bob))
        let share = KeyShare(publicKey: [9] + [UInt8](repeating: 0, count: 31), versions: .supported)
        let forged = try pair.forge(Envelope(session: id, content: .initiate(share)), from: alice)
        #expect(try pair.deliver([forged], to: bob) == [.ignored(.knownSession)])
        #expect(try pair.deliver(pair.post(alice), to: bob) == [.message(.fourDH, skipped: 0)])
    }

    @Test func `an Init with a key of small order has no effect`() throws {
        let pair = try Pair.agreed()
        let share = KeyShare(publicKey: [UInt8](repeating: 0, count: 32), versions: .supported)
        let id = SessionID([UInt8](repeating: 0, count: 16))
        let forged = try pair.forge(Envelope(session: id, content: .initiate(share)), from: alice)
        #expect(try pair.deliver([forged], to: bob) == [.ignored(.weakKey)])
        #expect(try pair.deliver(pair.post(alice), to: bob) == [.message(.fourDH, skipped: 0)])
    }

    @Test func `an Accept with a key of small order ends the session`() throws {
        let pair = try Pair()
        _ = try pair.post(alice)
        let id = try #require(try pair.best(alice))
        let share = KeyShare(publicKey: [UInt8](repeating: 0, count: 32), versions: .supported)
        let forged = try pair.forge(Envelope(session: id, content: .accept(share)), from: bob)
        #expect(try pair.deliver([forged], to: alice) == [.refusedSession(.reset)])
        #expect(try pair.states(alice) == [nil, nil])
    }

    @Test func `a second Accept has no effect`() throws {
        let pair = try Pair()
        try pair.deliver(pair.post(alice), to: bob)
        let accept = try #require(try pair.envelope(try pair.flush(bob)[0]))
        try pair.deliver([pair.forge(accept, from: bob)], to: alice)
        #expect(try pair.deliver([pair.forge(accept, from: bob)], to: alice) == [.ignored(.unexpectedAccept)])
        #expect(try pair.deliver(pair.post(alice), to: bob) == [.message(.fourDH, skipped: 0)])
    }

    @Test func `an Accept of a session that does not exist is answered with Terminate, cause 0`() throws {
        let pair = try Pair()
        try pair.deliver(pair.post(alice), to: bob)
        pair.sides[alice].reset()
        #expect(try pair.deliver(pair.flush(bob), to: alice) == [.refusedSession(.unknownSession)])
        let answer = try pair.flush(alice)
        #expect(try pair.envelope(answer[0])?.content == .terminate(.unknownSession))
        #expect(try pair.deliver(answer, to: bob) == [.ended(.unknownSession)])
        #expect(try pair.states(bob) == [nil, nil])
    }

    @Test(arguments: TerminateCause.allCases)
    func `Terminate ends the session, whatever its cause`(_ cause: TerminateCause) throws {
        let pair = try Pair.agreed()
        let id = try #require(try pair.best(bob))
        let envelope = Envelope(session: id, content: .terminate(cause))
        #expect(try pair.deliver([pair.forge(envelope, from: alice)], to: bob) == [.ended(cause)])
        #expect(try pair.states(bob) == [nil, nil])
        #expect(try pair.deliver([pair.forge(envelope, from: alice)], to: bob) == [.ignored(.unknownSession)])
        #expect(try pair.flush(bob).isEmpty)
    }

    @Test(arguments: [
        (ForwardSecurityPolicy.disabledHere, TerminateCause.disabledByLocal),
        (.unsupportedByContact, .disabledByRemote),
    ])
    func `without forward security, an Init is answered with Terminate and a message with Reject`(
        _ policy: ForwardSecurityPolicy, _ cause: TerminateCause
    ) throws {
        let pair = try Pair()
        pair.sides[bob].policy = policy
        #expect(try pair.deliver(pair.post(alice), to: bob) == [.refusedSession(cause), .refused(.disabled)])
        let answers = try pair.flush(bob)
        #expect(try pair.envelope(answers[0])?.content == .terminate(cause))
        let events = try pair.deliver(answers, to: alice)
        guard case .rejected(let rejection) = events.last else {
            Issue.record("not rejected")
            return
        }
        #expect(events.first == .ended(cause) && rejection.cause == .disabled)
        // What was rejected is sealed again. Alice knows by now what Bob's client cannot.
        pair.sides[alice].policy = .unsupportedByContact
        try pair.sides[alice].sealDraft()
        let again = try pair.flush(alice)
        #expect(try again.count == 1 && pair.envelope(again[0]) == nil)
        try pair.deliver(again, to: bob)
        #expect(pair.sides[bob].delivered == [rejection.messageID: 1])
        // Bob's messages are not protected either.
        #expect(try pair.envelope(pair.post(bob)[0]) == nil)
    }

    @Test func `turning forward security off ends the sessions at once`() throws {
        let pair = try Pair.agreed()
        pair.sides[alice].policy = .disabledHere
        let sent = try pair.post(alice)
        #expect(try pair.envelope(sent[0])?.content == .terminate(.disabledByLocal))
        #expect(try pair.envelope(sent[1]) == nil)
        try pair.deliver(sent, to: bob)
        #expect(try pair.states(bob) == [nil, nil])
    }
}
