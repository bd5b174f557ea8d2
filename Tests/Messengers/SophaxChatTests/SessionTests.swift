import Encodings
import Primitives
import Ratchet
import SecureMemory
import SophaxKit
import Testing
import VectorKit

@testable import SophaxChat

@Suite struct SessionTests {
    @Test(arguments: try Vector.all(in: .sophaxChat, op: "x3dh"))
    func `X3DH on both sides`(_ vector: Vector) throws {
        let inputs = vector.inputs
        let hasOneTime = try !inputs.string("opk_b_private").isEmpty
        let secret = try FirstSecret.initiate(
            .sophaxChat, identity: secure(inputs.bytes("ik_a_private")),
            ephemeral: secure(inputs.bytes("ek_a_private")),
            with: FirstSecret.ResponderKeys(
                identity: inputs.bytes("ik_b_public"), prekey: inputs.bytes("spk_b_public"),
                oneTime: hasOneTime ? inputs.bytes("opk_b_public") : nil))
        #expect(secret.equals(secure(try vector.expected.bytes("shared_secret"))))
        let other = try FirstSecret.respond(
            .sophaxChat, identity: secure(inputs.bytes("ik_b_private")), prekey: secure(inputs.bytes("spk_b_private")),
            oneTime: hasOneTime ? held(inputs.bytes("opk_b_private")) : nil,
            initiator: inputs.bytes("ik_a_public"), ephemeral: inputs.bytes("ek_a_public"))
        #expect(other.equals(secure(try vector.expected.bytes("shared_secret"))))
    }

    @Test(arguments: try Vector.all(in: .sophaxChat, op: "kdf-rk"))
    func `root step`(_ vector: Vector) throws {
        let keys = RatchetSuite.sophaxChat.rootKeys(
            root: secure(try vector.inputs.bytes("root_key")), secret: secure(try vector.inputs.bytes("dh_output")))
        let expected = try ["new_root_key", "chain_key", "next_header_key"].flatMap { try vector.expected.bytes($0) }
        #expect(keys.copied == expected)
    }

    /// A begun session, and what a responder needs.
    static func initiated(
        _ prekeys: borrowing PrekeyStore, oneTime: PrekeyPool.PublicPrekey?, text: String = "hi", first: [UInt8]? = nil,
        at time: Timestamp = now, form: HeaderForm = .plain
    ) throws -> Initiated {
        let one = try alice()
        let other = try bob()
        guard let bundle = prekeys.bundle(of: other, oneTime: oneTime, username: "bob", at: time),
            let own = one.bundle(
                signedPrekey: BundleTests.prekey, signedPrekeyID: 1, oneTime: nil, lastResort: nil, username: "alice",
                at: time)
        else { throw HandshakeError.malformed }
        let checked = try PrekeyBundle(parsing: bundle.encoded)
            .check(asked: other.peerID, known: nil, pinned: nil, at: time)
        let first = first ?? Array(text.utf8)
        return try one.initiate(with: checked, own: own, form: form, first: first.span)
    }

    static func respond(
        _ initiation: Initiation, _ prekeys: borrowing PrekeyStore, known: PublicIdentity? = nil,
        at time: Timestamp = now, form: HeaderForm = .plain
    ) throws -> Responded {
        try bob().respond(
            to: Initiation(parsing: initiation.encoded), from: alice().publicIdentity, prekeys: prekeys, known: known,
            pinned: nil, form: form, at: time)
    }

    @Test(arguments: [HeaderForm.plain, .labelled])
    func `a conversation, with records between all steps`(_ form: HeaderForm) throws {
        let (one, other) = (try alice().publicIdentity, try bob().publicIdentity)
        let prekeys = PrekeyStore(at: now)
        let begun = try Self.initiated(prekeys, oneTime: prekeys.oneTimePrekeys()[3], form: form)
        #expect(begun.secrecy == .oneTime && !begun.secrecy.reducedForwardSecrecy)
        let answer = try Self.respond(begun.initiation, prekeys, form: form)
        #expect(answer.plaintext.copied == Array("hi".utf8) && answer.secrecy == .oneTime && answer.peer.form == .whole)
        #expect(answer.prekeys.oneTimeCount == 20 && prekeys.oneTimeCount == 20)
        var sessions = [begun.session.encoded().copied, answer.session.encoded().copied]
        for round in 0..<20 {
            let from = round % 3 == 0 ? 1 : 0
            let ids = from == 0 ? [one, other] : [other, one]
            let (record, receiving) = (sessions[from], sessions[1 - from])
            var sender = try PairSession(decoding: record.span, of: ids[0], with: ids[1])
            let text = Array("message \(round)".utf8)
            let message = try sender.seal(text.span)
            sessions[from] = sender.encoded().copied
            let receiver = try PairSession(decoding: receiving.span, of: ids[1], with: ids[0])
            #expect(receiver.form == form && message.header.count <= PairMessage.maxHeader)
            let read = try #require(PairMessage(parsing: message.encoded))
            let opened = try receiver.open(read, at: now)
            #expect(opened.plaintext.copied == text)
            sessions[1 - from] = opened.next.encoded().copied
            let again = opened.next.encoded()
            #expect(throws: (any Error).self) {
                let next = try again.withBytes { (bytes) throws(StoredRecordError) in
                    try PairSession(decoding: bytes, of: ids[1], with: ids[0])
                }
                _ = try next.open(read, at: now)
            }
        }
    }

    @Test func `the form of header boxes is not mixed`() throws {
        let prekeys = PrekeyStore(at: now)
        let begun = try Self.initiated(prekeys, oneTime: nil, form: .labelled)
        #expect(throws: HandshakeError.notAuthentic) { _ = try Self.respond(begun.initiation, prekeys) }
    }

    /// M-3: a thousand initiations in a row have a fourth agreement, and the flag is set exactly for the last-resort key.
    @Test func `no initiation is without a fourth agreement`() throws {
        var prekeys = PrekeyStore(at: now)
        for round in 0..<1000 {
            let oneTime = round.isMultiple(of: 4) ? nil : prekeys.oneTimePrekeys().first
            let begun = try Self.initiated(prekeys, oneTime: oneTime)
            #expect(begun.initiation.oneTimeID == oneTime?.id ?? 0)
            let answer = try Self.respond(begun.initiation, prekeys)
            #expect(answer.secrecy == (oneTime == nil ? .lastResort : .oneTime))
            #expect(answer.secrecy.reducedForwardSecrecy == (begun.initiation.oneTimeID == 0))
            let next = answer.prekeys.encoded()
            prekeys = try next.withBytes { (bytes) throws(StoredRecordError) in try PrekeyStore(decoding: bytes) }
            #expect(prekeys.oneTimeCount == 20)
            if let oneTime { #expect(!prekeys.oneTimePrekeys().contains(oneTime)) }
        }
    }

    @Test func `an initiation is taken once`() throws {
        let prekeys = PrekeyStore(at: now)
        let begun = try Self.initiated(prekeys, oneTime: nil)
        let answer = try Self.respond(begun.initiation, prekeys)
        #expect(throws: HandshakeError.replayed) { _ = try Self.respond(begun.initiation, answer.prekeys) }
        // What was refused has changed nothing: the same prekeys still answer.
        _ = try Self.respond(begun.initiation, prekeys)
    }

    @Test func `a used one-time prekey leads to no way down`() throws {
        let prekeys = PrekeyStore(at: now)
        let key = prekeys.oneTimePrekeys()[0]
        let answer = try Self.respond(try Self.initiated(prekeys, oneTime: key).initiation, prekeys)
        let second = try Self.initiated(prekeys, oneTime: key)
        #expect(throws: HandshakeError.unknownOneTimePreKey) { _ = try Self.respond(second.initiation, answer.prekeys) }
        let other = PrekeyStore(at: now)
        #expect(throws: HandshakeError.unknownSignedPreKey) { _ = try Self.respond(second.initiation, other) }
    }

    @Test func `the signed prekey before the current one answers for 14 days`() throws {
        var prekeys = PrekeyStore(at: now)
        let begun = try Self.initiated(prekeys, oneTime: nil)
        let id = prekeys.signedID
        var hasChanged = prekeys.maintain(at: now + .milliseconds(7 * 86_400_000 - 1))
        #expect(!hasChanged)
        hasChanged = prekeys.maintain(at: now + .days(7))
        #expect(hasChanged && prekeys.signedID != id)
        // Each step adds a week at most.
        _ = prekeys.maintain(at: now + .days(14))
        let early = now + .milliseconds(21 * 86_400_000 - 1)
        #expect(prekeys.signed(id, at: early) != nil && prekeys.signed(id, at: now + .days(21)) == nil)
        let answer = try Self.respond(begun.initiation, prekeys)
        let record = answer.prekeys.encoded()
        var next = try record.withBytes { (bytes) throws(StoredRecordError) in try PrekeyStore(decoding: bytes) }
        #expect(next.seen.contains(begun.initiation.ephemeral))
        _ = next.maintain(at: early)
        #expect(next.seen.contains(begun.initiation.ephemeral))
        _ = next.maintain(at: now + .days(21))
        #expect(!next.seen.contains(begun.initiation.ephemeral))
    }

    @Test func `a full store forgets nothing`() {
        var seen = SeenEphemerals()
        for number in 0..<SeenEphemerals.limit {
            var key = [UInt8](repeating: 0, count: 28)
            key.appendNumber(UInt32(number))
            let isNew = seen.insert(key, for: 1)
            #expect(isNew)
        }
        let isTaken = seen.insert([UInt8](repeating: 1, count: 32), for: 1)
        #expect(seen.isFull && !isTaken)
        #expect(seen.contains([UInt8](repeating: 0, count: 32)), "the first one is not forgotten")
        seen.forget(1)
        #expect(!seen.isFull)
    }

    @Test func `a bundle without a one-time and a last-resort key leads to three agreements, and both sides say so`()
        throws
    {
        let one = try alice()
        let other = try bob()
        let prekeys = PrekeyStore(at: now)
        guard
            let bundle = other.bundle(
                signedPrekey: prekeys.signedPublic, signedPrekeyID: prekeys.signedID, oneTime: nil, lastResort: nil,
                username: "bob", at: now),
            let own = one.bundle(
                signedPrekey: BundleTests.prekey, signedPrekeyID: 1, oneTime: nil, lastResort: nil, username: "alice",
                at: now)
        else { throw HandshakeError.malformed }
        let peer = try PrekeyBundle(parsing: bundle.encoded).check(
            asked: other.peerID, known: nil, pinned: nil, at: now)
        let text: [UInt8] = [7]
        let begun = try one.initiate(with: peer, own: own, first: text.span)
        #expect(begun.secrecy == .signedPreKeyOnly && begun.secrecy.reducedForwardSecrecy)
        #expect(begun.initiation.oneTimeID == nil)
        let answer = try Self.respond(begun.initiation, prekeys)
        #expect(answer.secrecy == .signedPreKeyOnly && answer.secrecy.reducedForwardSecrecy)
        #expect(answer.plaintext.copied == [7] && answer.prekeys.oneTimeCount == 20)
        #expect(answer.prekeys.seen.contains(begun.initiation.ephemeral))
    }

    @Test func `10,000 mutations begin no session and open no message`() throws {
        let random = SeededRandom(seed: 1)
        let prekeys = PrekeyStore(at: now)
        let begun = try Self.initiated(prekeys, oneTime: nil)
        let bytes = begun.initiation.encoded
        let sender = try alice().publicIdentity
        let own = try bob()
        for _ in 0..<10_000 {
            guard let read = try? Initiation(parsing: random.changed(bytes)), read != begun.initiation else {
                continue
            }
            #expect(throws: HandshakeError.self) {
                _ = try own.respond(to: read, from: sender, prekeys: prekeys, known: nil, pinned: .whole, at: now)
            }
        }
    }

    @Test func `10,000 mutations of headers, messages and records`() throws {
        let random = SeededRandom(seed: 1)
        let header = PairSession.text(RatchetHeader(ratchetKey: BundleTests.prekey, previousCount: 5, number: .max))
        let prekey = BundleTests.prekey
        let key = Base64.encode(prekey.span)
        let text = "{\"messageNumber\":4294967295,\"previousChainLength\":5,\"senderRatchetKey\":\"\(key)\"}"
        #expect(header == Array(text.utf8))
        let prekeys = PrekeyStore(at: now)
        let record = prekeys.encoded().copied
        let pair = PairMessage(header: [UInt8](repeating: 1, count: 137), body: [UInt8](repeating: 2, count: 60))
            .encoded
        for _ in 0..<10_000 {
            if let read = PairSession.header(random.changed(header)) { #expect(read.ratchetKey.count == 32) }
            if let read = PairMessage(parsing: random.changed(pair)) { #expect(read.header.count <= 512) }
            let bytes = random.changed(record)
            _ = try? PrekeyStore(decoding: bytes.span)
        }
    }
}
