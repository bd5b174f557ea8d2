import Primitives
import SecureMemory
import SophaxChat
import SophaxKit
import Testing
import VectorKit

@testable import SophaxStorage

@Suite struct SealedShareTests {
    private static func share() throws -> IdentityShare {
        try IdentityShare.split(alice(), threshold: 2, total: 3, at: AppTime(now))[0]
    }

    @Test(arguments: try Vector.all(in: .sophaxChat, op: "share-box"))
    func `a share on its way`(_ vector: Vector) throws {
        let (inputs, expected) = (vector.inputs, vector.expected)
        let text = Array(try expected.string("share").utf8)
        let share = try IdentityShare(parsing: text.span)
        #expect(share.encoded().copied == text)
        // The vectors' owner is alice, and bob keeps it.
        let own = try alice()
        let keeper = try bob()
        #expect(own.agreement.copied == (try inputs.bytes("owner_private")))
        #expect(keeper.publicIdentity.agreement == (try inputs.bytes("keeper_public")))
        let box = try share.sealed(for: keeper.publicIdentity, by: own, nonce: inputs.bytes("nonce"))
        #expect(box == (try expected.bytes("box")))
        let opened = try IdentityShare(opening: box, from: own.publicIdentity, by: keeper)
        #expect(opened.encoded().copied == text)
        let key = try Boxes.agreedKey(keeper.agreement, own.publicIdentity.agreement, "SophaxChat_SSS_Share_v1")
        #expect(key.copied == (try expected.bytes("key")))
    }

    @Test func `only the keeper opens it, and only from its owner`() throws {
        let own = try alice()
        let keeper = try bob()
        let third = SophaxIdentity()
        let share = try Self.share()
        let box = try share.sealed(for: keeper.publicIdentity, by: own)
        #expect(try share.sealed(for: keeper.publicIdentity, by: own) != box, "another nonce")
        #expect(throws: SealedShareError.notAuthentic) {
            _ = try IdentityShare(opening: box, from: own.publicIdentity, by: third)
        }
        #expect(throws: SealedShareError.notAuthentic) {
            _ = try IdentityShare(opening: box, from: third.publicIdentity, by: keeper)
        }
        let zero = try #require(
            PublicIdentity(signing: own.publicIdentity.signing, agreement: [UInt8](repeating: 0, count: 32)))
        #expect(throws: SealedShareError.weakKey) { _ = try share.sealed(for: zero, by: own) }
        #expect(throws: SealedShareError.weakKey) { _ = try IdentityShare(opening: box, from: zero, by: keeper) }
        let long = [UInt8](repeating: 0, count: IdentityShare.maxSealedCount + 1)
        #expect(throws: SealedShareError.malformed) {
            _ = try IdentityShare(opening: long, from: own.publicIdentity, by: keeper)
        }
        // A box of something else.
        let key = try Boxes.agreedKey(own.agreement, keeper.publicIdentity.agreement, "SophaxChat_SSS_Share_v1")
        let text = Array("{}".utf8)
        let other = Boxes.seal(text.span, key: key, nonce: Random.bytes(12), data: [])
        #expect(throws: SealedShareError.malformed) {
            _ = try IdentityShare(opening: other, from: own.publicIdentity, by: keeper)
        }
    }

    @Test func `10,000 mutations of a box open nothing`() throws {
        let random = SeededRandom(seed: 1)
        let own = try alice()
        let keeper = try bob()
        let box = try Self.share().sealed(for: keeper.publicIdentity, by: own)
        // The key of each opening would take minutes.
        let key = try Boxes.agreedKey(keeper.agreement, own.publicIdentity.agreement, "SophaxChat_SSS_Share_v1")
        for round in 0..<10_000 {
            let changed = random.changed(box)
            #expect(throws: AuthenticationError.self) { _ = try Boxes.open(changed, key: key, data: []) }
            guard round.isMultiple(of: 100) else { continue }
            #expect(throws: SealedShareError.self) {
                _ = try IdentityShare(opening: changed, from: own.publicIdentity, by: keeper)
            }
        }
    }

    /// A split whose highest coefficient is never 0 tells that a byte is not the one that the share has.
    @Test(arguments: [2, 3] as [UInt8]) func `the highest coefficient is 0 as often as it should be`(
        _ threshold: UInt8
    ) throws {
        let identity = try alice()
        let indices = Array(1...threshold)
        // The highest coefficient from all values: Newton's divided difference.
        let weights = indices.map { index in
            GF256.inverse(indices.filter { $0 != index }.reduce(1) { GF256.multiply($0, $1 ^ index) })
        }
        var counts = [Int](repeating: 0, count: 256)
        for _ in 0..<200 {
            let shares = try IdentityShare.split(
                identity, threshold: threshold, total: threshold, at: AppTime(now))
            let data = shares.map { $0.data.bytes.copied }
            for place in 0..<IdentityShare.count {
                let top = zip(data, weights).reduce(UInt8(0)) { $0 ^ GF256.multiply($1.0[place], $1.1) }
                counts[Int(top)] += 1
            }
        }
        // 12,800 bytes: 50 of each value; a value is missing once in 10²¹ runs, and above 120 more rarely.
        #expect(counts[0] > 0 && counts.allSatisfy { $0 > 0 && $0 < 120 })
    }
}
