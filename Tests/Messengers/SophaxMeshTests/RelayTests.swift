import Encodings
import SophaxChat
import SophaxKit
import Testing
import VectorKit

@testable import SophaxMesh

@Suite struct RelayTests {
    static func relay(_ id: String, ttl: UInt8 = 6, to target: PublicIdentity) throws -> Relay {
        try #require(
            Relay(id: id, target: target.peerID, origin: try alice().peerID, ttl: ttl, message: try typing()))
    }

    @Test func `relays lose a hop, once`() throws {
        let (own, far) = (try bob().publicIdentity, try alice().publicIdentity)
        var rules = RelayRules()
        let relay = try Self.relay("a", to: far)
        guard case .forward(let next) = rules.decide(relay, from: far.peerID, own: own, at: now) else {
            Issue.record("not forwarded")
            return
        }
        #expect(next.ttl == 5 && next.hopCount == 1 && next.message == relay.message)
        #expect(rules.decide(relay, from: far.peerID, own: own, at: now) == .drop(.duplicate))
        #expect(
            rules.decide(try Self.relay("b", ttl: 1, to: far), from: far.peerID, own: own, at: now) == .drop(.lastHop))
        #expect(rules.decide(try Self.relay("c", ttl: 1, to: own), from: far.peerID, own: own, at: now) == .deliver)
    }

    @Test func `hop counts at their limits`() throws {
        let (own, far) = (try bob().publicIdentity, try alice().publicIdentity)
        let text = String(decoding: try Self.relay("a", to: far).encoded, as: UTF8.self)
        func relay(_ ttl: String, _ hops: String) throws -> Relay {
            let changed = text.replacing("\"ttl\":6", with: "\"ttl\":\(ttl)")
                .replacing("\"hopCount\":0", with: "\"hopCount\":\(hops)")
            return try Relay(parsing: Array(changed.utf8))
        }
        for ttl in ["0", "7", "255"] {
            var rules = RelayRules()
            #expect(rules.decide(try relay(ttl, "0"), from: far.peerID, own: own, at: now) == .drop(.hops))
        }
        for ttl in ["-1", "256", "1.0", "1e0", "\"6\""] {
            #expect(throws: WireError.malformed) { try relay(ttl, "0") }
        }
        var rules = RelayRules()
        guard case .forward(let next) = rules.decide(try relay("6", "255"), from: far.peerID, own: own, at: now) else {
            Issue.record("not forwarded")
            return
        }
        #expect(next.hopCount == 255)
    }

    @Test func `20 forwards in 10 seconds for each sender`() throws {
        let (own, far) = (try bob().publicIdentity, try alice().publicIdentity)
        var rules = RelayRules()
        for index in 0..<20 {
            guard case .forward = rules.decide(try Self.relay("\(index)", to: far), from: far.peerID, own: own, at: now)
            else {
                Issue.record("\(index) was not forwarded")
                return
            }
        }
        let next = try Self.relay("20", to: far)
        #expect(rules.decide(next, from: far.peerID, own: own, at: now) == .drop(.rateLimited))
        guard case .forward = rules.decide(next, from: own.peerID, own: own, at: now) else {
            Issue.record("another sender's was not forwarded")
            return
        }
    }

    @Test func `the last 500 relays are remembered`() throws {
        let (own, far) = (try bob().publicIdentity, try alice().publicIdentity)
        var rules = RelayRules()
        func decide(_ id: String) throws -> RelayRules.Decision {
            rules.decide(try Self.relay(id, to: own), from: far.peerID, own: own, at: now)
        }
        for index in 0..<500 { #expect(try decide("\(index)") == .deliver) }
        #expect(try decide("0") == .drop(.duplicate))
        #expect(try decide("500") == .deliver)
        #expect(try decide("0") == .deliver)
        #expect(try decide("2") == .drop(.duplicate))
    }

    /// The names are free text, and nothing of a relay is verified here.
    @Test func `a relay with the name of another one does not stop it`() throws {
        let (own, far) = (try bob().publicIdentity, try alice().publicIdentity)
        var rules = RelayRules()
        let other = try #require(
            Relay(id: "a", target: own.peerID, origin: own.peerID, message: try typing()))
        #expect(rules.decide(other, from: own.peerID, own: own, at: now) == .deliver)
        let relay = try Self.relay("a", to: own)
        #expect(rules.decide(relay, from: far.peerID, own: own, at: now) == .deliver)
        // The same relay is known on another way, with other hops.
        for ttl in 1...6 as ClosedRange<UInt8> {
            let again = try Self.relay("a", ttl: ttl, to: own)
            #expect(rules.decide(again, from: own.peerID, own: own, at: now) == .drop(.duplicate))
        }
    }

    @Test func `a message that no frame carries in a relay is refused before it is sent`() throws {
        let far = try bob().publicIdentity
        func relay(_ count: Int) throws -> Relay? {
            let message = try WireMessage.sign(
                .groupMessage, payload: [UInt8](repeating: 7, count: count), to: nil, by: alice(), at: now)
            if count < WireMessage.maxPayload {
                #expect(FrameReader.frame(message.encoded) != nil, "it goes to a neighbour")
            }
            return Relay(id: "a", target: far.peerID, origin: far.peerID, message: message)
        }
        let fits = try #require(try relay(Relay.maxPayload))
        let wire = try WireMessage.sign(.relay, payload: fits.encoded, to: nil, by: alice(), at: now)
        #expect(FrameReader.frame(wire.encoded) != nil)
        #expect(try Relay(parsing: fits.encoded) == fits)
        #expect(try relay(Relay.maxPayload + 1) == nil && relay(WireMessage.maxPayload) == nil)
    }

    @Test func `a relay in a relay is refused`() throws {
        let far = try alice().publicIdentity
        let inner = try Self.relay("a", to: far).encoded
        let wire = try WireMessage.sign(.relay, payload: inner, to: nil, by: alice(), at: now)
        #expect(Relay(id: "b", target: far.peerID, origin: far.peerID, message: wire) == nil)
    }

    @Test func `10,000 mutations of a relay`() throws {
        let random = SeededRandom(seed: 1)
        let relay = try Self.relay("a", to: alice().publicIdentity).encoded
        for _ in 0..<10_000 {
            if let read = try? Relay(parsing: random.changed(relay)) { #expect(!read.encoded.isEmpty) }
        }
    }
}
