import Encodings
import SophaxChat
import SophaxKit
import Testing

@testable import SophaxMesh

@Suite struct HeldRelaysTests {
    private static let (far, near) = (id(1), id(2))

    private static func id(_ number: Int) -> PeerID {
        let digits = String(number, radix: 16)
        return PeerID(String(repeating: "0", count: 16 - digits.count) + digits + String(repeating: "0", count: 16))!
    }

    /// A message of the relays of these tests.
    private let message: WireMessage

    init() throws { message = try typing() }

    private func relay(_ name: String, to target: PeerID = far) throws -> Relay {
        try #require(Relay(id: name, target: target, origin: Self.near, message: message))
    }

    private func names(_ held: HeldRelays) -> [String] { held.items.map(\.relay.id) }

    @Test func `relays wait for their peer`() throws {
        let (one, other) = (try alice().publicIdentity, try bob().publicIdentity)
        var held = HeldRelays()
        #expect(held.hold(try relay("a", to: one.peerID), from: Self.near, at: now) == true)
        #expect(held.hold(try relay("b", to: other.peerID), from: Self.near, at: now) == true)
        #expect(held.hold(try relay("c", to: one.shortPeerID), from: Self.near, at: now) == true)
        #expect(held.hold(try relay("a", to: one.peerID), from: Self.far, at: now) == false, "it is there")
        #expect(held.hold(try relay("a", to: other.peerID), from: Self.far, at: now) == true, "anybody takes a name")
        let released = held.release(one, at: now)
        #expect(released == [try relay("a", to: one.peerID), try relay("c", to: one.shortPeerID)])
        #expect(names(held) == ["b", "a"] && held.release(one, at: now).isEmpty)
    }

    @Test func `a relay waits for 48 hours`() throws {
        let peer = try alice().publicIdentity
        var held = HeldRelays()
        _ = held.hold(try relay("a", to: peer.peerID), from: Self.near, at: now)
        _ = held.hold(try relay("b", to: peer.peerID), from: Self.near, at: now + .milliseconds(1))
        held.expire(at: now + .milliseconds(48 * 3_600_000 - 1))
        #expect(names(held) == ["a", "b"])
        held.expire(at: now + .days(-1))
        #expect(names(held) == ["a", "b"], "the clock went back")
        #expect(held.release(peer, at: now + .days(2)).map(\.id) == ["b"])
    }

    @Test func `30 relays wait for a peer, in either length of its name`() throws {
        let short = try #require(PeerID(String(Self.far.description.prefix(16))))
        var held = HeldRelays()
        for number in 0..<31 {
            _ = held.hold(
                try relay("\(number)", to: number.isMultiple(of: 2) ? Self.far : short), from: Self.near, at: now)
        }
        #expect(names(held) == (1..<31).map { "\($0)" })
    }

    @Test func `300 relays wait in all`() throws {
        var held = HeldRelays()
        for number in 0..<301 {
            _ = held.hold(try relay("\(number)", to: Self.id(number / 10)), from: Self.near, at: now)
        }
        #expect(names(held) == (1..<301).map { "\($0)" })
    }

    @Test func `a neighbour that hands in many crowds out no other`() throws {
        var held = HeldRelays()
        for number in 0..<5 { _ = held.hold(try relay("few \(number)"), from: Self.near, at: now) }
        for number in 0..<1000 {
            _ = held.hold(try relay("to one \(number)"), from: Self.far, at: now)
            _ = held.hold(try relay("to all \(number)", to: Self.id(3 + number)), from: Self.far, at: now)
        }
        #expect(held.items.count == 300 && names(held).prefix(5) == (0..<5).map { "few \($0)" }[...])
        #expect(held.items.count { $0.relay.target == Self.far } <= 30)
        #expect(names(held).last == "to all 999")
    }

    @Test func `of neighbours that have handed in as many, the oldest relay goes`() throws {
        for (first, second) in [(Self.near, Self.far), (Self.far, Self.near)] {
            var held = HeldRelays()
            for number in 0..<30 {
                _ = held.hold(
                    try relay("\(number)"), from: number.isMultiple(of: 2) ? first : second, at: now)
            }
            for number in 30..<34 {
                // A third one has handed in fewer.
                _ = held.hold(try relay("\(number)"), from: Self.id(3), at: now)
                #expect(names(held) == (number - 29...number).map { "\($0)" })
            }
        }
    }

    @Test func `32 MiB wait in all`() throws {
        let identity = try alice()
        let large = try WireMessage.sign(
            .message, payload: [UInt8](repeating: 7, count: 2 << 20), to: bob().peerID, by: identity,
            at: now)
        var held = HeldRelays()
        for number in 0..<17 {
            let relay = try #require(
                Relay(id: "\(number)", target: Self.id(number), origin: Self.near, message: large))
            _ = held.hold(relay, from: Self.near, at: now)
        }
        #expect(names(held) == (1..<17).map { "\($0)" })
    }

    @Test func `what was stored is read, within the limits`() throws {
        var held = HeldRelays()
        for number in 0..<40 {
            _ = held.hold(try relay("\(number)", to: Self.id(number)), from: Self.near, at: now + .seconds(number))
        }
        #expect(HeldRelays(held.items, at: now + .seconds(40)) == held)
        #expect(HeldRelays(held.items.reversed(), at: now + .seconds(40)) == held)
        #expect(names(HeldRelays(held.items, at: now + .days(2))) == (1..<40).map { "\($0)" })
        let many = try (0..<400).map {
            HeldRelays.Item(relay: try relay("\($0)", to: Self.id($0)), sender: Self.near, held: now)
        }
        #expect(names(HeldRelays(many + many, at: now)) == (100..<400).map { "\($0)" })
    }
}
