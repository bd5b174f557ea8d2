import Encodings
import Foundation
import Primitives
import Ratchet
import SecureMemory

/// Two people agree on a session with X3DH and talk; a late message opens, and a second delivery does not. Then three
/// people talk in a group, of whom one leaves.
///
///     talk-ratchet
@main
struct TalkRatchet {
    static let now = Timestamp(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000))

    /// The protocol of this program: headers are encrypted.
    static let suite = RatchetSuite(
        id: 1, agreement: RatchetSuite.Agreement(hasPrefix: true, info: "talk-ratchet agreement"), start: .rootKey,
        rootInfo: "talk-ratchet root", expansion: nil,
        headerKeys: RatchetSuite.HeaderKeys(
            initiatorInfo: "talk-ratchet header", responderInfo: "talk-ratchet next header"),
        formerChains: .areClosed,
        limits: RatchetSuite.Limits(
            maxSkipped: 1000, maxStored: 1000, overflow: .refuse, maxChains: 51, maxAge: .seconds(604_800)))

    static func main() throws {
        try talk()
        try talkInGroup()
    }

    static func talk() throws {
        let alice = HeldKey(Random.secret(32))
        let bob = HeldKey(Random.secret(32))
        let signedPrekey = HeldKey(Random.secret(32))

        // Bob publishes prekeys, and Alice takes one.
        let rules = PrekeyPool.Rules(numbering: .random, batch: 20, rest: .seconds(2_592_000))
        var pool = PrekeyPool(rules)
        let prekey = pool.refill(at: now)[0]
        let ephemeral = HeldKey(Random.secret(32))
        let published = FirstSecret.ResponderKeys(
            identity: publicKey(bob), prekey: publicKey(signedPrekey), oneTime: prekey.publicKey)
        let agreed = try FirstSecret.initiate(
            suite, identity: alice.bytes, ephemeral: ephemeral.bytes, with: published)
        var sender = try DoubleRatchet.initiate(suite, secret: agreed, prekey: published.prekey)

        // Her first message names the prekey and her public keys.
        let secret = try FirstSecret.respond(
            suite, identity: bob.bytes, prekey: signedPrekey.bytes, oneTime: pool.key(prekey.id),
            initiator: publicKey(alice), ephemeral: publicKey(ephemeral))
        var receiver = DoubleRatchet.respond(suite, secret: secret, prekey: signedPrekey.bytes)

        var letters: [Letter] = []
        for text in ["Hello", "How are you?"] {
            let keys = try sender.seal()
            // Store sender.encoded() with the letter, and only then send it.
            letters.append(Letter(text, keys))
        }
        for letter in [letters[1], letters[0], letters[0]] {
            do {
                let opened = try receiver.open(letter.header(), at: now, body: letter.open)
                print("Bob reads: \(text(opened.plaintext)) (skipped \(opened.skipped))")
                // Store opened.next.encoded() with the text in one transaction.
                receiver = opened.next
            } catch {
                print("Bob refuses: \(error)")
            }
        }
        // The prekey is used up now that a message has opened.
        _ = pool.consume(prekey.id, at: now)
        print("Prekeys left: \(pool.count)")

        let record = receiver.encoded()
        var restored = try record.withBytes { try DoubleRatchet(decoding: $0, suite: suite) }
        let answer = Letter("Fine", try restored.seal())
        let read = try sender.open(answer.header(), at: now, body: answer.open)
        print("Alice reads: \(text(read.plaintext))")
    }

    static func talkInGroup() throws {
        let limits = GroupLimits(
            maxMembers: 100, maxSkipped: 100, maxStored: 1000, maxAge: .seconds(604_800), maxSent: 500,
            maxChainAge: .seconds(604_800), openChains: 3)
        let names = ["alice", "bob", "carol"].compactMap { GroupMember(Array($0.utf8)) }
        var alice = try GroupSession(names[0], members: names, limits: limits)
        var carol = try GroupSession(names[2], members: names, limits: limits)

        // Each distribution goes to its member in their session of two.
        for member in alice.pending(at: now) {
            let distribution = try alice.distribution(for: member, at: now)
            if member == names[2] { _ = try carol.accept(distribution, from: names[0], at: now) }
        }
        let first = try alice.seal(at: now)
        let isRead = opens(first, &carol)
        print("Carol reads message \(first.number): \(isRead)")

        _ = try alice.setMembers(Array(names[..<2]))
        for member in alice.pending(at: now) { _ = try alice.distribution(for: member, at: now) }
        let second = try alice.seal(at: now)
        let isReadLater = opens(second, &carol)
        print("Carol, who has left, reads message \(second.number): \(isReadLater)")
    }

    /// Whether a member reads a message of Alice.
    static func opens(_ keys: GroupKeys, _ group: inout GroupSession) -> Bool {
        let nonce = [UInt8](repeating: 0, count: ChaChaPoly.nonceCount)
        let text = Array("Hello, all".utf8)
        let body = ChaChaPoly.seal(text.span, nonce: nonce, key: keys.messageKey.bytes, additionalData: [])
        do {
            let opened = try group.open(
                from: GroupMember(Array("alice".utf8))!, chain: keys.chain, number: keys.number, at: now
            ) { (key) throws(AuthenticationError) in
                try ChaChaPoly.open(body.span, nonce: nonce, key: key.bytes, additionalData: [])
            }
            group = opened.next
            return true
        } catch {
            return false
        }
    }

    static func publicKey(_ key: HeldKey) -> [UInt8] { key.bytes.withBytes { X25519.publicKey(of: $0) } }

    static func text(_ secret: borrowing SecureBytes) -> String {
        secret.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }
}
