import SophaxKit
import Testing
import VectorKit

@testable import SophaxChat

@Suite struct IdentityTests {
    static func identity(_ vector: Vector) throws -> PublicIdentity {
        try #require(
            PublicIdentity(
                signing: vector.inputs.bytes("signing_public"), agreement: vector.inputs.bytes("dh_public")))
    }

    @Test(arguments: try Vector.all(in: .sophaxChat, op: "peer-id"))
    func `names`(_ vector: Vector) throws {
        let identity = try Self.identity(vector)
        #expect(identity.peerID.description == (try vector.expected.string("peer_id_16")))
        #expect(identity.shortPeerID.description == (try vector.expected.string("peer_id_8")))
        #expect(identity.fingerprint == (try vector.expected.bytes("fingerprint")))
        #expect(identity.has(identity.peerID) && identity.has(identity.shortPeerID))
        let own = try alice()
        #expect(own.peerID == identity.peerID)
        let other = try bob()
        #expect(!identity.has(other.peerID))
    }

    @Test(arguments: [
        "", "0f", "0f7248b2f5bc6f92A3b2dc45fc6a34e3", "0f7248b2f5bc6f92a3b2dc45fc6a34e", "0f7248b2f5bc6f9g",
    ])
    func `texts that are no names`(_ text: String) { #expect(PeerID(text) == nil) }

    @Test(arguments: ["0f7248b2f5bc6f92A3b2dc45FC6a34e3", "0F7248B2F5BC6F92"])
    func `a name may be typed in either case, and is read in one`(_ text: String) throws {
        let id = try #require(PeerID(typed: text))
        #expect(id == PeerID(text.lowercased()) && id.description == text.lowercased())
        #expect(PeerID(text) == nil)
        for wrong in [String(text.dropLast()), text + "0", text.dropLast() + "g", text.dropLast() + "Ａ"] {
            #expect(PeerID(typed: wrong) == nil)
        }
    }

    @Test(arguments: try Vector.all(in: .sophaxChat, op: "safety-number"))
    func `safety number`(_ vector: Vector) throws {
        let identity = try Self.identity(vector)
        #expect(try vector.inputs.string("domain") == "SophaxChat_SafetyNumber_v1")
        #expect(identity.safetyNumber(.version1) == (try vector.expected.string("safety_number")))
        #expect(identity.safetyNumber(.none) != identity.safetyNumber(.version1))
    }

    @Test func `both sides show the same pair number`() throws {
        let (one, other) = (try alice().publicIdentity, try bob().publicIdentity)
        let number = PublicIdentity.pairNumber(one, other, .version1)
        #expect(number == PublicIdentity.pairNumber(other, one, .version1))
        #expect(number.filter(\.isNumber).count == 60)
        #expect(number.contains(one.safetyNumber(.version1)) && number.contains(other.safetyNumber(.version1)))
    }

    @Test func `a QR code has both keys`() throws {
        let identity = try alice().publicIdentity
        #expect(PublicIdentity(code: identity.code) == identity && identity.code.count == 64)
        #expect(PublicIdentity(code: identity.code + [0]) == nil)
    }

    @Test func `a change after verification blocks sending until it is confirmed`() throws {
        let (known, seen) = (try alice().publicIdentity, try bob().publicIdentity)
        let verified = try #require(ContactTrust.unverified(known).comparing(code: known.code))
        #expect(verified == .verified(known) && verified.canSend)
        let changed = verified.seeing(seen)
        #expect(changed == .changed(known: known, seen: seen, wasVerified: true) && !changed.canSend)
        #expect(changed.seeing(known) == changed, "the old keys do not undo the alert")
        #expect(changed.confirmed() == .unverified(seen))
        #expect(changed.comparing(code: known.code) == nil && changed.comparing(code: seen.code) == .verified(seen))
    }
}
