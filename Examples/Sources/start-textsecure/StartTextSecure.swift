import Encodings
import Foundation
import SecureMemory
import TextSecure

/// Two accounts are registered without a server, and begin a session: the first message, an answer.
///
///     echo 'TEXT' | start-textsecure
@main
struct StartTextSecure {
    static func main() throws {
        let text = Array((readLine() ?? "").utf8)
        let now = Timestamp(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000))
        guard let number = AccountNumber("+12025550123"), let other = AccountNumber("+12025550124") else { return }

        var bob = try TextSecureAccount.register(number, server: "https://textsecure.example", at: now)
        let record = bob.encoded()
        // Store the record, confirm the code, and only then upload the public keys.
        let uploaded = bob.prekeys.publicPrekeys()
        print(uploaded.count, "prekeys, record:", record.count > 5000)

        let alice = try TextSecureAccount.register(other, server: nil, at: now)
        guard let first = uploaded.first, let key = PublicKey33(point: first.publicKey) else { return }
        let prekey = PeerPrekey(id: first.id, key: key, identity: bob.identity.publicKey)
        var session = try alice.initiate(with: prekey, known: nil)
        let sent = try session.seal(text.span)
        // Store session.encoded() before sent.bytes leave.

        let message = try PreKeyWhisperMessage(parsing: sent.bytes)
        let begun = try bob.respond(to: message, known: nil, sessions: [], at: now)
        print("received:", begun.plaintext.count, "bytes, trust:", begun.trust)
        // Store session, prekeys and plaintext in one transaction.
        var answering = begun.session
        bob.prekeys = begun.prekeys

        do {
            _ = try bob.respond(to: message, known: nil, sessions: [answering.baseKey], at: now)
        } catch {
            print("A second time:", error)
        }

        let reply = try answering.seal(text.span)
        guard case .whisper(let answer) = reply else { return }
        let opened = try session.open(answer, at: now)
        session = opened.next
        print("answered:", opened.plaintext.count, "bytes, still wrapped:", session.isPending)

        let mine = (key: alice.identity.publicKey, id: other.text)
        let theirs = (key: bob.identity.publicKey, id: number.text)
        let seen = NumericFingerprint(own: mine, peer: theirs)
        print(seen.matches(NumericFingerprint(own: theirs, peer: mine).description), seen.digits.count, "digits")
        try Answers.show(contact: number, with: bob.identity.publicKey)
    }
}
