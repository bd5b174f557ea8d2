import Encodings
import Primitives
import Ratchet
import SecureMemory
import Testing
import VectorKit

@testable import TextSecure

/// Conversations of other implementations, repeated to the byte by both sides.
@Suite struct PythonPeerTests {
    /// A side, whose session is stored as a record between all steps.
    private final class Side {
        let account: TextSecureAccount
        var record: [UInt8]?

        init(_ account: consuming TextSecureAccount) { self.account = account }

        func session() throws -> TextSecureSession {
            let bytes = try #require(record)
            return try TextSecureSession(decoding: bytes.span)
        }
    }

    @Test(arguments: SessionVersion.allCases)
    func `whole conversations`(_ version: SessionVersion) throws {
        let conversations = try PythonPeer.conversations(version: version.rawValue, count: 20)
        #expect(conversations.count == 20)
        var (sealed, wrapped, opened, turns, begun) = (0, 0, 0, 0, 0)
        for conversation in conversations {
            let sides = try Self.sides(conversation, version)
            var sent: [(wire: [UInt8], text: [UInt8], isWrapped: Bool)] = []
            for event in conversation.events {
                let side = sides[event.side]
                if let number = event.opened {
                    let fresh = try hex(event.fresh ?? "")
                    let message = sent[number]
                    if side.record == nil { begun += 1 }
                    let text = try Self.open(message.wire, message.isWrapped, fresh, conversation, side)
                    #expect(text == message.text)
                    opened += 1
                    turns += fresh.isEmpty ? 0 : 1
                } else {
                    let text = try hex(event.text ?? "")
                    var session = try side.session()
                    let message = try session.seal(text.span)
                    side.record = session.encoded().copied
                    #expect(message.bytes.hex == event.wire)
                    let isWrapped = if case .preKeyWhisper = message { true } else { false }
                    wrapped += isWrapped ? 1 : 0
                    sent.append((message.bytes, text, isWrapped))
                    sealed += 1
                }
            }
        }
        #expect(sealed > 400 && wrapped > 40 && opened > 300 && turns > 60 && begun >= 18)
    }

    private static func sides(_ conversation: PythonPeer.Conversation, _ version: SessionVersion) throws -> [Side] {
        let prekey = try agreementKey(hex(conversation.prekey))
        let oneTime = try conversation.oneTime.map { try agreementKey(hex($0)) }
        let alice = Side(
            try account(
                identity: hex(conversation.identityA), registrationID: conversation.registrationID, prekeys: []))
        let bob = Side(
            try account(
                identity: hex(conversation.identityB), registrationID: 1,
                prekeys: [PrekeyPool.PrivatePrekey(id: conversation.prekeyID, key: (oneTime ?? prekey).held)]))
        let session = try alice.account.initiate(
            with: prekey.publicKey, identity: bob.account.identity.publicKey, oneTime: oneTime?.publicKey,
            ids: PreKeyWhisperMessage.PrekeyIDs(prekey: conversation.prekeyID, signed: conversation.signedID),
            known: nil, version: version, ephemeral: agreementKey(hex(conversation.ephemeral)),
            ratchetKey: agreementKey(hex(conversation.ratchetA)))
        alice.record = session.encoded().copied
        return [alice, bob]
    }

    private static func open(
        _ wire: [UInt8], _ isWrapped: Bool, _ fresh: [UInt8], _ conversation: PythonPeer.Conversation, _ side: Side
    ) throws -> [UInt8] {
        guard isWrapped else {
            let opened = try side.session().open(
                WhisperMessage(parsing: wire), at: now, ratchetKey: { held(fresh) })
            side.record = opened.next.encoded().copied
            return opened.plaintext.copied
        }
        let message = try PreKeyWhisperMessage(parsing: wire)
        #expect(message.registrationID == UInt32(conversation.registrationID))
        guard side.record == nil else {
            let session = try side.session()
            #expect(throws: SessionError.sessionExists) {
                _ = try side.account.respond(to: message, known: nil, sessions: [session.baseKey], at: now)
            }
            // No chain begins here: the first wrapped message has begun it.
            #expect(fresh.isEmpty)
            let opened = try session.open(message, at: now)
            side.record = opened.next.encoded().copied
            return opened.plaintext.copied
        }
        let signed = try held(hex(conversation.prekey))
        let begun = try side.account.respond(
            to: message, known: nil, sessions: [], at: now,
            signedPrekey: { $0 == conversation.signedID ? signed : nil }, ratchetKey: { held(fresh) })
        #expect(begun.trust == .firstUse && begun.prekeys.key(conversation.prekeyID) == nil)
        side.record = begun.session.encoded().copied
        return begun.plaintext.copied
    }
}
