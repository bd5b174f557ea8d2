import Encodings
import SophaxChat
import SophaxKit
import Testing
import VectorKit

@testable import SophaxMesh

@Suite struct WireGateTests {
    @Test func `a message for somebody else, or for nobody, is refused`() throws {
        let identity = try alice()
        var gate = WireGate(own: identity.publicIdentity)
        #expect(throws: WireError.wrongRecipient) {
            try gate.admit(typing(), known: identity.publicIdentity, at: now)
        }
        #expect(throws: WireError.wrongRecipient) {
            _ = try WireMessage.sign(.typing, payload: [], to: nil, by: alice(), at: now)
        }
        let hello = try WireMessage.sign(.hello, payload: [], to: nil, by: identity, at: now)
        #expect(hello.recipient == nil)
    }

    @Test func `the order of the checks`() throws {
        let sender = try alice().publicIdentity
        var gate = try bobsGate()
        let message = try typing()
        #expect(try gate.admit(message, known: sender, at: now) == sender)
        #expect(throws: WireError.replayed) { try gate.admit(message, known: sender, at: now) }
        #expect(throws: WireError.lowerVersion) {
            try gate.admit(typing(version: .one), known: sender, at: now)
        }
        #expect(throws: WireError.unknownSender) { try gate.admit(message, known: nil, at: now) }
        let other = try bob().publicIdentity
        #expect(throws: WireError.wrongSender) { try gate.admit(message, known: other, at: now) }
        let text = String(decoding: message.encoded, as: UTF8.self)
        let later = text.replacing("\"timeMs\":1767225600250", with: "\"timeMs\":1767225600251")
        #expect(later != text)
        let forged = try WireMessage(parsing: Array(later.utf8))
        // What has a signature that was seen is not verified again.
        #expect(throws: WireError.replayed) { try gate.admit(forged, known: sender, at: now) }
        var fresh = try bobsGate()
        #expect(throws: WireError.badSignature) { try fresh.admit(forged, known: sender, at: now) }
        #expect(try fresh.admit(message, known: sender, at: now) == sender, "what was forged is not remembered")
    }

    @Test func `a peer of version 1 may go up, and not down again`() throws {
        let sender = try alice().publicIdentity
        var gate = try bobsGate()
        _ = try gate.admit(typing(version: .one), known: sender, at: now)
        #expect(gate.version(of: sender) == .one)
        _ = try gate.admit(typing(), known: sender, at: now)
        #expect(gate.version(of: sender) == .two)
        var restarted = try bobsGate()
        restarted.pin(.two, of: sender)
        restarted.pin(.one, of: sender)
        #expect(throws: WireError.lowerVersion) {
            try restarted.admit(typing(version: .one), known: sender, at: now)
        }
    }

    /// A message of alice's to bob with this payload.
    static func signed(_ kind: WireMessage.Kind, _ text: String) throws -> WireMessage {
        let identity = try alice()
        return try WireMessage.sign(kind, payload: Array(text.utf8), to: bob().peerID, by: identity, at: now)
    }

    /// The same with another time, which is signed.
    static func forged(_ message: WireMessage) throws -> WireMessage {
        let text = String(decoding: message.encoded, as: UTF8.self)
        return try WireMessage(parsing: Array(text.replacing("1767225600250", with: "1767225600251").utf8))
    }

    /// M3: 10 typings and 20 reactions in 10 seconds; the next one is dropped before its signature is verified.
    @Test(arguments: [(WireMessage.Kind.typing, 10, 1000), (.reaction, 20, 500)])
    func `excess is dropped before its signature is verified`(
        _ kind: WireMessage.Kind, _ count: Int, _ refill: Int
    ) throws {
        let sender = try alice().publicIdentity
        var gate = try bobsGate()
        for index in 0..<count { _ = try gate.admit(Self.signed(kind, "\(index)"), known: sender, at: now) }
        let forged = try Self.forged(Self.signed(kind, "next"))
        let early = now + .milliseconds(refill - 1)
        #expect(throws: WireError.rateLimited) { try gate.admit(forged, known: sender, at: early) }
        #expect(throws: WireError.rateLimited) { try gate.admit(Self.signed(kind, "next"), known: sender, at: early) }
        let later = now + .milliseconds(refill)
        #expect(throws: WireError.badSignature) { try gate.admit(forged, known: sender, at: later) }
        _ = try gate.admit(Self.signed(kind, "next"), known: sender, at: later)
        #expect(throws: WireError.rateLimited) { try gate.admit(forged, known: sender, at: later) }
        // Other kinds have other buckets, or none.
        let other: WireMessage.Kind = kind == .typing ? .reaction : .typing
        _ = try gate.admit(Self.signed(other, "other"), known: sender, at: later)
        _ = try gate.admit(Self.signed(.message, "other"), known: sender, at: later)
    }

    @Test func `nobody uses up a contact's messages with forged or repeated ones`() throws {
        let sender = try alice().publicIdentity
        var gate = try bobsGate()
        let first = try Self.signed(.typing, "0")
        _ = try gate.admit(first, known: sender, at: now)
        let forged = try Self.forged(Self.signed(.typing, "forged"))
        for _ in 0..<100 {
            #expect(throws: WireError.badSignature) { try gate.admit(forged, known: sender, at: now) }
            #expect(throws: WireError.replayed) { try gate.admit(first, known: sender, at: now) }
        }
        for index in 1..<10 { _ = try gate.admit(Self.signed(.typing, "\(index)"), known: sender, at: now) }
        #expect(throws: WireError.rateLimited) { try gate.admit(Self.signed(.typing, "10"), known: sender, at: now) }
    }

    @Test func `the last 1000 messages of a peer are remembered`() throws {
        let sender = try alice().publicIdentity
        var gate = try bobsGate()
        let first = try Self.signed(.ack, "first")
        _ = try gate.admit(first, known: sender, at: now)
        for index in 1..<1000 { _ = try gate.admit(Self.signed(.ack, "\(index)"), known: sender, at: now) }
        #expect(throws: WireError.replayed) { try gate.admit(first, known: sender, at: now) }
        _ = try gate.admit(Self.signed(.ack, "1000"), known: sender, at: now)
        _ = try gate.admit(first, known: sender, at: now)
    }

    @Test func `a stranger introduces itself with its own bundle`() throws {
        let identity = try alice()
        let payload = try introduction()
        var gate = try bobsGate()
        let hello = try WireMessage.sign(.hello, payload: payload, to: nil, by: identity, at: now)
        #expect(try gate.admit(hello, known: nil, at: now) == identity.publicIdentity)
        let other = try bob()
        let false_ = try WireMessage.sign(.hello, payload: payload, to: nil, by: other, at: now)
        #expect(throws: WireError.wrongSender) { try gate.admit(false_, known: nil, at: now) }
        let empty = try WireMessage.sign(.hello, payload: Array("{}".utf8), to: nil, by: other, at: now)
        #expect(throws: WireError.malformed) { try gate.admit(empty, known: nil, at: now) }
    }

    @Test func `strangers keep no contact out`() throws {
        let identity = try alice()
        var gate = try bobsGate()
        for number in 0..<WireGate.maxPeers {
            var key = [UInt8](repeating: 0, count: 28)
            key += [UInt8(number >> 8), UInt8(number & 255), 0, 0]
            gate.pin(.one, of: try #require(PublicIdentity(signing: key, agreement: key)))
        }
        let payload = try introduction()
        let hello = try WireMessage.sign(.hello, payload: payload, to: nil, by: identity, at: now)
        #expect(throws: WireError.rateLimited) { try gate.admit(hello, known: nil, at: now) }
        #expect(try gate.admit(hello, known: identity.publicIdentity, at: now) == identity.publicIdentity)
    }
}
