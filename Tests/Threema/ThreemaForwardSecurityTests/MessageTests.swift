import Encodings
import SecureMemory
import Testing
import Threema
import ThreemaMessages
import VectorKit

@testable import ThreemaForwardSecurity

@Suite struct MessageTests {
    private let alice = Pair.alice
    private let bob = Pair.bob

    /// A message with another counter or other versions, encrypted with the right key.
    private func forge(
        _ pair: Pair, counter: UInt64, offered: Version = .v1_2, applied: Version = .v1_2, mode: DHMode = .fourDH
    ) throws -> [UInt8] {
        var sealed: ([UInt8], SessionID)?
        let conversation = try pair.sides[alice].conversation()
        _ = try conversation.sessions.local.lend { session in
            let key = try Self.key(of: session, mode, at: counter)
            sealed = (InnerBox.seal([0x01, 0x41].span, key: secure(key)), session.id)
        }
        let (box, id) = try #require(sealed)
        let message = Encapsulated(
            mode: mode, counter: counter, offered: offered, applied: applied, group: nil, box: box)
        return try pair.forge(Envelope(session: id, content: .encapsulated(message)), from: alice)
    }

    private static func key(of session: borrowing Session, _ mode: DHMode, at counter: UInt64) throws -> [UInt8] {
        var key: [UInt8] = []
        var start: UInt64 = 0
        func read(_ chain: borrowing Chain) {
            key = chain.key.copied
            start = chain.counter
        }
        switch session.outgoing4 {
        case .some(let chain): read(chain)
        case .none: break
        }
        guard counter >= start else { return [UInt8](repeating: 0, count: 32) }
        var chain = Chain(key: secure(key), counter: start)
        while chain.counter < counter { chain.turn() }
        return chain.messageKey().copied
    }

    @Test func `up to 25,000 messages may be missing, as in the apps, and not 1,000, as in the steps of the text`()
        throws
    {
        let pair = try Pair.agreed()
        // Alice's next message has the number 2.
        let last = try forge(pair, counter: 2 + 25_000)
        #expect(try pair.deliver([last], to: bob) == [.message(.fourDH, skipped: 25_000)])
    }

    @Test func `a message too far ahead is rejected, and the session stays`() throws {
        let pair = try Pair.agreed()
        for counter in [2 + 25_001, UInt64(Int64.max), .max] {
            let before = try pair.states(bob)
            let envelope = try #require(try pair.best(bob))
            let message = Encapsulated(
                mode: .fourDH, counter: counter, offered: .v1_2, applied: .v1_2, group: nil,
                box: [UInt8](repeating: 0, count: 20))
            let forged = try pair.forge(Envelope(session: envelope, content: .encapsulated(message)), from: alice)
            #expect(try pair.deliver([forged], to: bob) == [.refused(.stateMismatch)])
            #expect(try pair.states(bob) == before)
        }
        #expect(try pair.deliver(pair.post(alice), to: bob) == [.message(.fourDH, skipped: 0)])
    }

    @Test func `a message out of order is rejected, the session stays, and the message is sent again`() throws {
        let pair = try Pair.agreed()
        let (first, second) = (try pair.post(alice), try pair.post(alice))
        #expect(try pair.deliver(second + first, to: bob) == [.message(.fourDH, skipped: 1), .refused(.stateMismatch)])
        #expect(try pair.states(bob) == [nil, .R44])
        let rejected = try pair.id(first[0])
        let events = try pair.deliver(pair.flush(bob), to: alice)
        let rejection = Rejection(messageID: rejected, cause: .stateMismatch, group: nil)
        #expect(events == [.rejected(rejection)])
        #expect(try pair.states(alice) == [nil, nil])
        try pair.sides[alice].sealDraft()
        try pair.deliver(pair.flush(alice), to: bob)
        #expect(pair.sides[bob].delivered[rejected] == 1)
    }

    @Test func `a message that does not open is rejected, and its session removed`() throws {
        let pair = try Pair.agreed()
        let sent = try #require(try pair.encapsulated(pair.post(alice)[0]))
        var box = sent.message.box
        box[0] ^= 1
        let message = Encapsulated(
            mode: .fourDH, counter: sent.message.counter, offered: .v1_2, applied: .v1_2, group: nil, box: box)
        let forged = try pair.forge(Envelope(session: sent.session, content: .encapsulated(message)), from: alice)
        #expect(try pair.deliver([forged], to: bob) == [.refused(.stateMismatch)])
        #expect(try pair.states(bob) == [nil, nil])
    }

    @Test func `a message of an unknown session is rejected`() throws {
        let pair = try Pair.agreed()
        pair.sides[bob].reset()
        #expect(try pair.deliver(pair.post(alice), to: bob) == [.refused(.unknownSession)])
    }

    @Test func `4DH before the Accept has come is rejected, and the session removed`() throws {
        let pair = try Pair()
        try pair.deliver(pair.post(alice), to: bob)
        let sent = try pair.post(bob)
        #expect(try pair.deliver([sent[1]], to: alice) == [.refused(.stateMismatch)])
        #expect(try pair.states(alice) == [nil, nil])
    }

    @Test func `2DH after 4DH is rejected, and the session removed`() throws {
        let pair = try Pair()
        try pair.deliver(pair.post(alice), to: bob)
        let late = try pair.post(alice)
        try pair.deliver(pair.flush(bob), to: alice)
        try pair.deliver(pair.post(alice), to: bob)
        #expect(try pair.deliver(late, to: bob) == [.refused(.stateMismatch)])
        #expect(try pair.states(bob) == [nil, nil])
    }

    @Test func `a message that is delivered again is not given to the session`() throws {
        let pair = try Pair.agreed()
        let typing = try pair.post(alice, .typing(true))
        #expect(try pair.deliver(typing + typing + typing, to: bob) == [.message(.fourDH, skipped: 0)])
    }

    // MARK: Versions

    @Test func `an older offer or an older version than before is rejected`() throws {
        for (offered, applied) in [(Version.v1_1, Version.v1_1), (.v1_2, .v1_1), (.v1_1, .v1_2), (.v1_0, .v1_0)] {
            let pair = try Pair.agreed()
            let forged = try forge(pair, counter: 2, offered: offered, applied: applied)
            #expect(try pair.deliver([forged], to: bob) == [.refused(.stateMismatch)], "\(offered), \(applied)")
            #expect(try pair.states(bob) == [nil, nil])
        }
    }

    @Test func `a version that this side does not support is rejected`() throws {
        let pair = try Pair.agreed()
        let next = Version(rawValue: 0x0103)
        #expect(
            try pair.deliver([forge(pair, counter: 2, offered: next, applied: next)], to: bob)
                == [.refused(.stateMismatch)])
    }

    @Test func `a newer offer raises the version of both sides`() throws {
        let pair = try Pair()
        pair.sides[bob].supported = VersionRange(minimum: .v1_0, maximum: .v1_0)
        try pair.deliver(pair.post(alice), to: bob)
        try pair.deliver(pair.post(bob), to: alice)
        #expect(try pair.encapsulated(pair.post(alice)[0])?.message.applied == .v1_0)
        // Bob's client is renewed.
        pair.sides[bob].supported = .supported
        try pair.deliver(pair.flush(alice), to: bob)
        try pair.deliver(pair.post(bob), to: alice)
        let sent = try pair.post(alice)
        #expect(try pair.encapsulated(sent[0])?.message.applied == .v1_2)
        #expect(try pair.deliver(sent, to: bob) == [.message(.fourDH, skipped: 1)])
    }

    @Test func `an older client begins a session of its own version`() throws {
        let pair = try Pair.agreed()
        pair.sides[alice].supported = VersionRange(minimum: .v1_0, maximum: .v1_1)
        let sent = try pair.post(alice)
        #expect(try pair.envelope(sent[0])?.content == .terminate(.reset))
        let events = try pair.deliver(sent, to: bob)
        #expect(events.first == .ended(.reset) && events.last == .message(.twoDH, skipped: 0))
        try pair.deliver(pair.flush(bob), to: alice)
        #expect(try pair.encapsulated(pair.post(alice)[0])?.message.applied == .v1_1)
    }

    @Test func `sides without a common version do not agree`() throws {
        let future = Version(rawValue: 0x0200)
        let pair = try Pair()
        let share = KeyShare(
            publicKey: [9] + [UInt8](repeating: 0, count: 31), versions: VersionRange(minimum: future, maximum: future))
        let id = SessionID([UInt8](repeating: 7, count: 16))
        let forged = try pair.forge(Envelope(session: id, content: .initiate(share)), from: alice)
        #expect(try pair.deliver([forged], to: bob) == [.refusedSession(.reset)])
        _ = try pair.post(alice)
        let begun = try #require(try pair.best(alice))
        let accept = try pair.forge(Envelope(session: begun, content: .accept(share)), from: bob)
        #expect(try pair.deliver([accept], to: alice) == [.refusedSession(.reset)])
        #expect(try pair.states(alice) == [nil, nil])
    }

    // MARK: What a session protects

    private static let group = (try? ThreemaID("000ALICE")).map {
        GroupIdentity(creator: $0, id: GroupID([1, 2, 3, 4, 5, 6, 7, 8]))
    }

    @Test func `1,0 protects texts, 1,1 everything between two people, and 1,2 groups`() throws {
        let group = try #require(Self.group)
        let bodies: [(MessageBody, Version)] = [
            (.chat(.text("a")), .v1_0), (.typing(true), .v1_1), (.groupLeave(group), .v1_2),
        ]
        for maximum in [Version.v1_0, .v1_1, .v1_2] {
            let pair = try Pair()
            for side in pair.sides { side.supported = VersionRange(minimum: .v1_0, maximum: maximum) }
            try pair.deliver(pair.post(alice), to: bob)
            try pair.deliver(pair.flush(bob), to: alice)
            for (body, minimum) in bodies {
                let sent = try #require(try pair.post(alice, body).last)
                let message = try pair.encapsulated(sent)
                #expect((message != nil) == (minimum <= maximum), "\(minimum) in \(maximum)")
                if case .groupLeave = body, let message { #expect(message.message.group == group) }
                try pair.deliver([sent], to: bob)
            }
            #expect(pair.sides[bob].delivered.count == 4)
        }
    }

    @Test func `before the Accept, only what 1,0 protects is protected`() throws {
        let pair = try Pair()
        let sent = try pair.post(alice, .typing(true))
        #expect(sent.count == 2)
        guard case .initiate = try pair.envelope(sent[0])?.content else {
            Issue.record("no Init")
            return
        }
        #expect(try pair.envelope(sent[1]) == nil)
        #expect(try pair.encapsulated(pair.post(alice)[0])?.message.applied == .v1_0)
    }

    @Test func `a rejected message of a group names the group`() throws {
        let group = try #require(Self.group)
        let pair = try Pair.agreed()
        let sent = try pair.post(alice, .groupLeave(group))
        pair.sides[bob].reset()
        try pair.deliver(sent, to: bob)
        let rejection = Rejection(
            messageID: try pair.id(sent[0]), cause: .unknownSession, group: group)
        #expect(try pair.deliver(pair.flush(bob), to: alice) == [.rejected(rejection)])
    }

    @Test func `each type of message has the version that protects it`() {
        let older: Set<MessageType> = [.text, .location, .file, .pollSetup, .pollVote, .empty]
        for type in MessageType.allCases {
            switch type {
            case .forwardSecurity, .workDelta, .webSessionResume: #expect(type.minimumVersion == nil)
            case _ where older.contains(type): #expect(type.minimumVersion == .v1_0)
            default: #expect(type.minimumVersion == (type.container == .none ? .v1_1 : .v1_2), "\(type)")
            }
        }
    }

    @Test func `a message without forward security is a downgrade if the contact has a session for it`() throws {
        let pair = try Pair()
        func judge(_ place: Int, _ type: MessageType) throws -> UnprotectedMessage {
            try pair.sides[place].conversation().judge(unprotected: type)
        }
        #expect(try judge(alice, .text) == .noSession)
        let first = try pair.post(alice)
        #expect(try judge(alice, .text) == .expected)
        try pair.deliver(first, to: bob)
        #expect(try judge(bob, .text) == .downgrade)
        #expect(try judge(bob, .typing) == .expected)
        try pair.deliver(pair.flush(bob), to: alice)
        try pair.deliver(pair.post(alice), to: bob)
        for place in [alice, bob] {
            for type in [MessageType.text, .typing, .groupText] { #expect(try judge(place, type) == .downgrade) }
            #expect(try judge(place, .webSessionResume) == .expected)
        }
    }

    // MARK: Freshness

    @Test func `an empty message is sent after 24 hours without a message`() throws {
        let pair = try Pair.agreed()
        let side = pair.sides[alice]
        func refresh() throws -> [[UInt8]] {
            try side.take(side.conversation().refresh(side.parties, side.circumstances))
            return try pair.flush(alice)
        }
        side.now = side.now + .hours(24) + .milliseconds(-1)
        #expect(try refresh().isEmpty)
        side.now = side.now + .milliseconds(1)
        let sent = try refresh()
        #expect(sent.count == 1)
        #expect(try pair.deliver(sent, to: bob) == [.message(.fourDH, skipped: 0)])
        #expect(try refresh().isEmpty)
        // The receiver's program sees a message without content.
        #expect(pair.sides[bob].delivered.count == 2)
    }

    @Test func `supported versions that do not begin with the first one end the process`() async {
        await #expect(processExitsWith: .failure) {
            _ = Circumstances(
                now: Timestamp(milliseconds: 0), used: NoNonces(),
                supported: VersionRange(minimum: .v1_2, maximum: .v1_2))
        }
        await #expect(processExitsWith: .failure) {
            var circumstances = Circumstances(now: Timestamp(milliseconds: 0), used: NoNonces())
            circumstances.supported = VersionRange(minimum: .v1_1, maximum: .v1_2)
            _ = circumstances.supported
        }
    }

    @Test func `an idle session is refreshed before a message that it does not protect`() throws {
        let pair = try Pair()
        for side in pair.sides { side.supported = VersionRange(minimum: .v1_0, maximum: .v1_0) }
        try pair.deliver(pair.post(alice), to: bob)
        try pair.deliver(pair.flush(bob), to: alice)
        pair.sides[alice].now = pair.sides[alice].now + .hours(25)
        let sent = try pair.post(alice, .typing(true))
        #expect(sent.count == 2)
        #expect(try pair.encapsulated(sent[0]) != nil && pair.envelope(sent[1]) == nil)
    }
}
