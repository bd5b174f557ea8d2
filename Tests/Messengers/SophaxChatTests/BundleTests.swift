import Encodings
import SophaxKit
import Testing
import VectorKit

@testable import SophaxChat

@Suite struct BundleTests {
    static let prekey = publicKey([UInt8](repeating: 9, count: 32))
    static let oneTime = publicKey([UInt8](repeating: 10, count: 32))

    static func bundle(
        _ form: SignatureForm = .whole, oneTime: Bool = true, lastResort: Bool = false
    ) throws -> PrekeyBundle {
        let identity = try alice()
        let bundle = identity.bundle(
            signedPrekey: prekey, signedPrekeyID: 77, oneTime: oneTime ? (id: 5, publicKey: Self.oneTime) : nil,
            lastResort: lastResort ? Self.oneTime : nil, username: " alice\n", address: "[::1]:4711", at: now,
            form: form)
        return try #require(bundle)
    }

    static func check(
        _ bundle: PrekeyBundle, pinned: SignatureForm? = nil, at time: Timestamp = now, skew: Duration = .zero
    ) throws(BundleError) -> CheckedBundle {
        try bundle.check(asked: nil, known: nil, pinned: pinned, at: time, skew: skew)
    }

    @Test(arguments: try Vector.all(in: .sophaxChat, op: "signed-prekey"))
    func `signature of the key only`(_ vector: Vector) throws {
        let identity = try alice()
        let signature = identity.signPrekey(
            try vector.inputs.bytes("signed_prekey_public"), at: AppTime(now), .keyOnly)
        #expect(signature == (try vector.expected.bytes("signature")))
    }

    @Test func `signatures with a time, as computed elsewhere`() throws {
        let identity = try alice()
        let key = try hex("286fbf1e74dd9cd885084a6af3deddc8934e74c26bbc9e3d8b5a7387db2a6b36")
        let time = try #require(AppTime(seconds: 788_918_400.25))
        #expect(time.bytes.hex == "00002040f882c741" && time == AppTime(now) && time.timestamp == now)
        #expect(identity.signPrekey(key, at: time, .keyAndTime).hex.hasPrefix("3bd86df52e0b52fe"))
        #expect(identity.signPrekey(key, at: time, .identityKeyAndTime).hex.hasPrefix("b3cc3c47a995b551"))
        #expect(identity.sign(PrekeyBundle.lastResortBytes(key)).hex.hasPrefix("f633dd0b901f5bb8"))
    }

    @Test(arguments: SignatureForm.allCases)
    func `each form is written, read and recognized`(_ form: SignatureForm) throws {
        for (oneTime, lastResort) in [(true, false), (false, true), (false, false)] {
            let bundle = try Self.bundle(form, oneTime: oneTime, lastResort: lastResort)
            #expect(try PrekeyBundle(parsing: bundle.encoded) == bundle)
            let checked = try Self.check(bundle)
            #expect(checked.form == form && checked.ageUnproven == (form == .keyOnly))
            #expect(bundle.username == "alice" && bundle.oneTime?.id == (oneTime ? 5 : lastResort ? 0 : nil))
        }
    }

    @Test(arguments: SignatureForm.allCases)
    func `the highest form is pinned`(_ form: SignatureForm) throws {
        let bundle = try Self.bundle(form)
        for pinned in SignatureForm.allCases {
            if pinned <= form {
                #expect(try Self.check(bundle, pinned: pinned).form == form)
            } else {
                #expect(throws: BundleError.lowerForm(form, pinned: pinned)) { try Self.check(bundle, pinned: pinned) }
            }
        }
    }

    /// Every field is signed: each change is refused.
    @Test func `the whole signature covers all fields present`() throws {
        let text = String(decoding: try Self.bundle().encoded, as: UTF8.self)
        let other = Base64.encode(publicKey([3] + [UInt8](repeating: 0, count: 31)).span)
        let changes: [(String, String)] = [
            ("\"username\":\"alice\"", "\"username\":\"alicf\""),
            ("\"signedPreKeyId\":77", "\"signedPreKeyId\":78"), ("\"oneTimePreKeyId\":5", "\"oneTimePreKeyId\":6"),
            ("[::1]:4711", "[::1]:4712"), ("\"tcpAddress\":\"[::1]:4711\",", ""),
            (Base64.encode(Self.oneTime.span), other), (Base64.encode(Self.prekey.span), other),
            (Base64.encode(try alice().publicIdentity.agreement.span), other), ("788918400.25", "788918400.5"),
        ]
        for (old, new) in changes {
            try #require(text.contains(old))
            let changed = Array(text.replacing(old, with: new).utf8)
            #expect(throws: BundleError.badSignature) {
                try Self.check(PrekeyBundle(parsing: changed), at: now + .seconds(1))
            }
        }
    }

    @Test func `without the signature of all fields a bundle has a lower form`() throws {
        var bundle = try Self.bundle()
        bundle.bundleSignature = nil
        #expect(try Self.check(bundle).form == .identityKeyAndTime)
        #expect(throws: BundleError.lowerForm(.identityKeyAndTime, pinned: .whole)) {
            try Self.check(bundle, pinned: .whole)
        }
    }

    @Test func `a bundle is valid for an hour`() throws {
        let bundle = try Self.bundle()
        _ = try Self.check(bundle, at: now)
        _ = try Self.check(bundle, at: now + .milliseconds(3_599_900))
        #expect(throws: BundleError.wrongAge) { try Self.check(bundle, at: now + .seconds(3600)) }
        #expect(throws: BundleError.wrongAge) { try Self.check(bundle, at: now + .seconds(-1)) }
        _ = try Self.check(bundle, at: now + .seconds(-60), skew: .seconds(60))
        #expect(throws: BundleError.wrongAge) { try Self.check(bundle, at: now + .seconds(-61), skew: .hours(1)) }
    }

    @Test func `another owner`() throws {
        let (bundle, other) = (try Self.bundle(), try bob().publicIdentity)
        #expect(throws: BundleError.wrongPeer) {
            try bundle.check(asked: other.peerID, known: nil, pinned: nil, at: now)
        }
        #expect(throws: BundleError.identityChanged) {
            try bundle.check(asked: nil, known: other, pinned: nil, at: now)
        }
        _ = try bundle.check(asked: bundle.identity.shortPeerID, known: bundle.identity, pinned: nil, at: now)
    }

    @Test func `the last-resort key is signed`() throws {
        let text = String(decoding: try Self.bundle(.keyOnly, oneTime: false, lastResort: true).encoded, as: UTF8.self)
        let other = Base64.encode(Self.prekey.span)
        let changed = text.replacing(
            "\"oneTimePreKeyPublic\":\"\(Base64.encode(Self.oneTime.span))\"",
            with: "\"oneTimePreKeyPublic\":\"\(other)\"")
        #expect(changed != text)
        #expect(throws: BundleError.badSignature) { try Self.check(PrekeyBundle(parsing: Array(changed.utf8))) }
    }

    @Test(arguments: [
        "{}", "[]", "", "{\"a\":1,\"a\":1}",
    ])
    func `other texts`(_ text: String) {
        #expect(throws: BundleError.malformed) { try PrekeyBundle(parsing: Array(text.utf8)) }
    }

    @Test(arguments: [
        ("\"oneTimePreKeyId\":5,", ""), ("\"oneTimePreKeyId\":5", "\"oneTimePreKeyId\":0"),
        ("\"oneTimePreKeyId\":5", "\"oneTimePreKeyId\":5.0"),
        ("\"signedPreKeyId\":77", "\"signedPreKeyId\":4294967296"),
        ("\"signedPreKeyId\":77", "\"signedPreKeyId\":1e3"), ("788918400.25", "1e999"), ("788918400.25", "\"1\""),
        ("\"username\":\"alice\"", "\"username\":\"\""),
        ("\"username\":\"alice\"", "\"pqEncapsulatedKey\":\"AA==\",\"username\":\"alice\""),
    ])
    func `malformed fields`(_ old: String, _ new: String) throws {
        let text = String(decoding: try Self.bundle().encoded, as: UTF8.self)
        try #require(text.contains(old))
        #expect(throws: BundleError.malformed) {
            try PrekeyBundle(parsing: Array(text.replacing(old, with: new).utf8))
        }
    }

    @Test func `user names`() throws {
        let identity = try alice()
        func bundle(_ name: String) -> PrekeyBundle? {
            identity.bundle(
                signedPrekey: Self.prekey, signedPrekeyID: 1, oneTime: nil, lastResort: nil, username: name, at: now)
        }
        #expect(bundle(String(repeating: "é", count: 64)) != nil && bundle(String(repeating: "a", count: 65)) == nil)
        #expect(bundle(" \n") == nil)
    }

    @Test func `10,000 mutations verify nothing`() throws {
        let random = SeededRandom(seed: 1)
        let bundle = try Self.bundle()
        for _ in 0..<10_000 {
            guard let read = try? PrekeyBundle(parsing: random.changed(bundle.encoded)) else { continue }
            if let checked = try? Self.check(read, pinned: .whole) { #expect(checked.bundle == bundle) }
        }
    }
}
