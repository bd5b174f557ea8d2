import Primitives
import RatchetModel
import SecureMemory
import SophaxChat
import Testing
import TextSecure
import VectorKit

@_spi(GivenKeys) @testable import Ratchet

/// Conversations of other implementations, step by step.
@Suite struct PythonPeerTests {
    /// The suite of the peer `plain`, whose limits are never reached.
    private static let plain = RatchetSuite(
        id: 21, agreement: RatchetSuite.Agreement(hasPrefix: true, info: "test agreement"), start: .rootKey,
        rootInfo: "test root", expansion: nil, headerKeys: nil, formerChains: .areClosed,
        limits: RatchetSuite.Limits(
            maxSkipped: 500, maxStored: 500, overflow: .removeOldest, maxChains: 100, maxAge: .seconds(1)))

    /// A side, which may be in an array.
    private final class Side {
        var ratchet: DoubleRatchet

        init(_ ratchet: consuming DoubleRatchet) { self.ratchet = ratchet }
    }

    private static func bytes(_ text: String) throws -> [UInt8] { try #require([UInt8](hex: text)) }

    @Test(arguments: [
        ("axolotl2", RatchetSuite.textSecure2), ("axolotl3", .textSecure3), ("plain", plain), ("headers", .sophaxChat),
    ]) func `headers and keys of whole conversations`(_ name: String, _ suite: RatchetSuite) throws {
        let conversations = try PythonPeer.conversations(name, count: 25)
        #expect(conversations.count == 25)
        var (sealed, opened, turns) = (0, 0, 0)
        for conversation in conversations {
            let sides = try Self.sides(conversation, suite)
            var sent: [(header: RatchetHeader, key: [UInt8], headerKey: [UInt8]?)] = []
            for event in conversation.events {
                let side = sides[event.side]
                let key = try Self.bytes(event.key)
                if let number = event.opened {
                    let message = sent[number]
                    let hasTurned = try Self.open(message.header, key, message.headerKey, event.fresh, side)
                    #expect(hasTurned == (event.fresh != nil))
                    opened += 1
                    turns += hasTurned ? 1 : 0
                } else {
                    let keys = try side.ratchet.seal()
                    let previous = keys.header.previousCount
                    // TextSecure counts to the last number, and not to the number of messages.
                    let last = suite.start == .sharedChain && previous > 0 ? previous - 1 : previous
                    #expect(keys.header.ratchetKey.hex == event.ratchet && keys.header.number == event.number)
                    #expect(last == event.previous && keys.messageKey.bytes.copied == key)
                    #expect(keys.headerKey?.bytes.copied.hex == event.headerKey)
                    sent.append((keys.header, key, keys.headerKey?.bytes.copied))
                    sealed += 1
                }
            }
        }
        #expect(sealed > 500 && opened > 400 && turns > 100)
    }

    private static func sides(_ conversation: PythonPeer.Conversation, _ suite: RatchetSuite) throws -> [Side] {
        let (identityA, ephemeral) = (try bytes(conversation.identityA), try bytes(conversation.ephemeral))
        let (identityB, prekey) = (try bytes(conversation.identityB), try bytes(conversation.prekey))
        let secretA = try FirstSecret.initiate(
            suite, identity: secure(identityA), ephemeral: secure(ephemeral),
            with: FirstSecret.ResponderKeys(identity: publicKey(identityB), prekey: publicKey(prekey)))
        let secretB = try FirstSecret.respond(
            suite, identity: secure(identityB), prekey: secure(prekey), initiator: publicKey(identityA),
            ephemeral: publicKey(ephemeral))
        let secret = secure(try bytes(conversation.secret))
        let areEqual = (secretA.equals(secret), secretB.equals(secret))
        #expect(areEqual == (true, true))
        let alice = try DoubleRatchet.initiate(
            suite, secret: secretA, prekey: publicKey(prekey), ratchetKey: held(bytes(conversation.ratchetA)))
        return [Side(alice), Side(DoubleRatchet.respond(suite, secret: secretB, prekey: secure(prekey)))]
    }

    /// - Returns: whether a chain began.
    private static func open(
        _ header: RatchetHeader, _ key: [UInt8], _ headerKey: [UInt8]?, _ fresh: String?, _ side: Side
    ) throws -> Bool {
        let fresh = try bytes(fresh ?? "")
        let received: ReceivedHeader =
            headerKey.map { headerKey in .sealed { $0.bytes.copied == headerKey ? header : nil } } ?? .plain(header)
        let opened = try side.ratchet.open(received, at: start, ratchetKey: { held(fresh) }) {
            (derived) throws(AuthenticationError) in
            guard derived.bytes.copied == key else { throw .notAuthentic }
            return secure([])
        }
        let hasTurned = opened.hasTurned
        side.ratchet = opened.next
        return hasTurned
    }

    @Test func `X3DH with and without one-time prekeys`() throws {
        let agreements = try PythonPeer.agreements(count: 20)
        #expect(agreements.count == 20)
        for agreement in agreements {
            let (identityA, ephemeral) = (try Self.bytes(agreement.identityA), try Self.bytes(agreement.ephemeral))
            let (identityB, prekey) = (try Self.bytes(agreement.identityB), try Self.bytes(agreement.prekey))
            let oneTime = try Self.bytes(agreement.oneTime)
            let sent = try FirstSecret.initiate(
                .sophaxChat, identity: secure(identityA), ephemeral: secure(ephemeral),
                with: FirstSecret.ResponderKeys(
                    identity: publicKey(identityB), prekey: publicKey(prekey),
                    oneTime: oneTime.isEmpty ? nil : publicKey(oneTime)))
            let received = try FirstSecret.respond(
                .sophaxChat, identity: secure(identityB), prekey: secure(prekey),
                oneTime: oneTime.isEmpty ? nil : held(oneTime), initiator: publicKey(identityA),
                ephemeral: publicKey(ephemeral))
            let secret = secure(try Self.bytes(agreement.secret))
            let areEqual = (sent.equals(secret), received.equals(secret))
            #expect(areEqual == (true, true))
        }
        #expect(agreements.filter { $0.oneTime.isEmpty }.count == 10)
    }
}
