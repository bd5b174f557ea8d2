import Encodings
import SophaxChat
import SophaxKit
import Testing

@testable import SophaxMesh

@Suite struct ConnectionRulesTests {
    private typealias Closing = ConnectionRules.Closing

    private func later(_ milliseconds: Int) -> Timestamp { now + .milliseconds(milliseconds) }

    @Test func `a hello has to come within 10 seconds`() throws {
        var rules = ConnectionRules(at: now)
        #expect(rules.deadline == later(10_000))
        try rules.check(at: later(9_999))
        #expect(throws: Closing.noHello) { try rules.check(at: later(10_000)) }
        #expect(throws: Closing.noHello) { try rules.receive(.hello, at: later(10_000)) }
        try rules.receive(.hello, at: later(9_999))
        #expect(rules.deadline == later(129_999))
    }

    @Test(arguments: [nil, .message, .relay, .initiateSession] as [WireMessage.Kind?])
    func `the first frame is a hello`(_ kind: WireMessage.Kind?) throws {
        var rules = ConnectionRules(at: now)
        #expect(throws: Closing.notHello) { try rules.receive(kind, at: now) }
        try rules.receive(.hello, at: now)
        try rules.receive(kind, at: now)
    }

    @Test func `a hello that is refused closes the connection`() throws {
        var rules = ConnectionRules(at: now)
        try rules.receive(.hello, at: now)
        #expect(throws: Closing.notHello) { try rules.refuse(.replayed, at: now) }
        try rules.receive(.typing, at: now)
        try rules.refuse(.badSignature, at: now)
    }

    @Test func `a connection without a frame in 120 seconds is closed`() throws {
        var rules = ConnectionRules(at: now)
        try rules.receive(.hello, at: now)
        for round in 1...3 {
            try rules.check(at: later(round * 119_999))
            try rules.receive(.typing, at: later(round * 119_999))
        }
        let last = 3 * 119_999
        try rules.check(at: later(last + 119_999))
        #expect(rules.deadline == later(last + 120_000))
        #expect(throws: Closing.idle) { try rules.check(at: later(last + 120_000)) }
        #expect(throws: Closing.idle) { try rules.receive(.typing, at: later(last + 120_000)) }
    }

    @Test func `a clock that went back closes nothing, and gives no more time`() throws {
        var rules = ConnectionRules(at: now)
        try rules.receive(.hello, at: now)
        try rules.check(at: later(-3_600_000))
        #expect(rules.deadline == later(-3_600_000 + 120_000))
        #expect(throws: Closing.idle) { try rules.check(at: later(-3_600_000 + 120_000)) }
    }

    @Test func `20 messages in 10 seconds may be refused`() throws {
        var rules = ConnectionRules(at: now)
        try rules.receive(.hello, at: now)
        for _ in 0..<20 {
            try rules.receive(.message, at: now)
            try rules.refuse(.badSignature, at: now)
        }
        #expect(throws: Closing.tooManyRefused) { try rules.refuse(.malformed, at: later(499)) }
        try rules.refuse(.wrongSender, at: later(500))
        #expect(throws: Closing.tooManyRefused) { try rules.refuse(.badSignature, at: later(500)) }
    }

    /// An honest neighbour sends what it got from others: again, of a newer app, for somebody else.
    @Test(
        arguments: [
            .unknownType, .rateLimited, .lowerVersion, .wrongRecipient, .replayed, .unknownSender, .nestedSeal,
        ] as [WireError])
    func `what an honest neighbour may send does not close the connection`(_ error: WireError) throws {
        var rules = ConnectionRules(at: now)
        try rules.receive(.hello, at: now)
        try rules.receive(.message, at: now)
        for _ in 0..<100 { try rules.refuse(error, at: now) }
        for _ in 0..<20 { try rules.refuse(.badSignature, at: now) }
        try rules.refuse(error, at: now)
        #expect(throws: Closing.tooManyRefused) { try rules.refuse(.badSignature, at: now) }
    }
}
