import Encodings
import Foundation
import SecureMemory
import SophaxChat
import SophaxMesh

/// A message goes from Alice to Carol over Bob, who does not learn who has written it and holds it until Carol comes.
///
///     echo 'TEXT' | pass-on
@main
struct PassOn {
    static let now = Timestamp(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000))

    static func main() throws {
        let text = Array((readLine() ?? "").utf8)
        let alice = SophaxIdentity()
        let bob = SophaxIdentity()
        let carol = SophaxIdentity()

        let prekeys = PrekeyStore(at: now)
        guard
            let published = prekeys.bundle(of: carol, oneTime: nil, username: "carol", at: now),
            let own = PrekeyStore(at: now).bundle(of: alice, oneTime: nil, username: "alice", at: now)
        else { return }
        let peer = try published.check(asked: carol.peerID, known: nil, pinned: nil, at: now)
        var begun = try alice.initiate(with: peer, own: own, first: text.span)
        let answer = try carol.respond(
            to: begun.initiation, from: alice.publicIdentity, prekeys: prekeys, known: nil, pinned: nil, at: now)
        try trust(alice.publicIdentity, other: bob.publicIdentity)

        var carrier = Carrier(own: bob.publicIdentity, at: now)
        // A hello has the bundle of who says it.
        let hello = Array("{\"bundle\":".utf8) + own.encoded + Array("}".utf8)
        try carrier.take(frame(.hello, hello, by: alice, at: now), at: now)
        for _ in 0..<2 {
            // Sealed twice, because no acknowledgement came: under another key each time.
            let relay = try sealed(begun.session.seal(text.span), "first", from: alice, for: carol.publicIdentity)
            try carrier.take(frame(.relay, relay.encoded, by: alice, at: now), at: now)
            // The same relay once more. It may also come from another neighbour.
            try carrier.take(frame(.relay, relay.encoded, by: alice, at: now + .seconds(1)), at: now)
            do throws(SealedError) {
                _ = try SealedMessage(parsing: relay.message.payload).open(by: bob)
            } catch {
                print("Bob cannot read it:", error)
            }
        }

        let later = now + .hours(1)
        try receive(
            carrier.held.release(carol.publicIdentity, at: later), by: carol, from: alice.publicIdentity,
            session: answer.session, at: later)
        print("Bob still holds:", carrier.held.items.count)
    }

    /// What Carol knows of Alice's keys after she has scanned Alice's code, and after other keys came in Alice's name.
    static func trust(_ known: PublicIdentity, other: PublicIdentity) throws {
        guard let verified = ContactTrust.unverified(known).comparing(code: known.code) else { return }
        print("compared, may send:", verified.canSend)
        print("other keys, may send:", verified.seeing(other).canSend)
    }

    /// A relay with a message whose writer only the recipient learns. An identity for this relay only is its origin.
    static func sealed(
        _ message: PairMessage, _ id: String, from writer: borrowing SophaxIdentity, for recipient: PublicIdentity
    ) throws -> Relay {
        let way = SophaxIdentity()
        let chat = ChatMessage(id: id, message: message)!
        let inner = try WireMessage.sign(.message, payload: chat.encoded, to: recipient.peerID, by: writer, at: now)
        let sealed = try SealedMessage.seal(inner, for: recipient)
        let outer = try WireMessage.sign(.sealed, payload: sealed.encoded, to: recipient.peerID, by: way, at: now)
        return Relay(id: way.peerID.description, target: recipient.peerID, origin: way.peerID, message: outer)!
    }

    static func frame(
        _ kind: WireMessage.Kind, _ payload: [UInt8], by identity: borrowing SophaxIdentity, at time: Timestamp
    ) throws -> [UInt8] {
        FrameReader.frame(try WireMessage.sign(kind, payload: payload, to: nil, by: identity, at: time).encoded)!
    }

    /// Opens what was held, and shows each message once.
    static func receive(
        _ relays: [Relay], by own: borrowing SophaxIdentity, from writer: PublicIdentity,
        session: consuming PairSession, at now: Timestamp
    ) throws {
        var (rules, gate, shown) = (RelayRules(), WireGate(own: own.publicIdentity), ReceivedIDs())
        for relay in relays where rules.decide(relay, from: writer.peerID, own: gate.own, at: now) == .deliver {
            let inner = try SealedMessage(parsing: relay.message.payload).open(by: own)
            _ = try gate.admit(inner, known: writer, at: now)
            guard let chat = ChatMessage(parsing: inner.payload) else { continue }
            let opened = try session.open(chat.message, at: now)
            let text = opened.plaintext.withBytes { bytes in
                String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
            }
            session = opened.next
            print(shown.insert(chat) ? "Carol reads: \(text)" : "It came before.")
        }
    }
}
