import Encodings
import Foundation
import SecureMemory
import SophaxChat
import SophaxMesh

/// Two identities begin a session: a bundle, the first message, an answer.
///
///     echo 'TEXT' | begin-session
@main
struct BeginSession {
    static func main() throws {
        let text = Array((readLine() ?? "").utf8)
        let now = Timestamp(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000))
        let alice = SophaxIdentity()
        let bob = SophaxIdentity()
        print(PublicIdentity.pairNumber(alice.publicIdentity, bob.publicIdentity, .version1).count, "characters")

        let prekeys = PrekeyStore(at: now)
        let others = PrekeyStore(at: now)
        guard
            let published = prekeys.bundle(
                of: bob, oneTime: prekeys.oneTimePrekeys().first, username: "bob", at: now),
            let own = others.bundle(of: alice, oneTime: nil, username: "alice", at: now)
        else { return }

        let bundle = try PrekeyBundle(parsing: published.encoded)
        let peer = try bundle.check(asked: bob.peerID, known: nil, pinned: nil, at: now)
        print("signed:", peer.form, "age unproven:", peer.ageUnproven)

        var begun = try alice.initiate(with: peer, own: own, first: text.span)
        let wire = try WireMessage.sign(
            .initiateSession, payload: begun.initiation.encoded, to: bob.peerID, by: alice, at: now)

        var gate = WireGate(own: bob.publicIdentity)
        let message = try WireMessage(parsing: wire.encoded)
        let sender = try gate.admit(message, known: nil, at: now)
        let initiation = try Initiation(parsing: message.payload)
        var answer = try bob.respond(
            to: initiation, from: sender, prekeys: prekeys, known: nil, pinned: nil, at: now)
        print("received:", answer.plaintext.count, "bytes with", answer.secrecy)

        do {
            _ = try gate.admit(message, known: nil, at: now)
        } catch WireError.replayed {
            print("A second time it is refused.")
        }

        let reply = Array("yes".utf8)
        let sealed = try answer.session.seal(reply.span)
        let opened = try begun.session.open(sealed, at: now)
        begun.session = opened.next
        print("answered:", opened.plaintext.count, "bytes")
    }
}
