import Encodings
import Foundation
import HTTP
import Primitives
import Ratchet
import SecureMemory
import Testing
import VectorKit

@testable import TextSecure

/// Every request over TLS, to a server that is written from its description alone.
@Suite struct LoopbackTests {
    private let server: LoopbackServer
    private let ann: TestAccount
    private let bob: TestAccount

    init() throws {
        server = try LoopbackServer()
        ann = TestAccount(try TextSecureAccount.register(number("+12025550123"), server: nil, at: now))
        bob = try TestAccount("+41791234567", prekeys: 2)
    }

    /// What the server has of an account.
    private struct Stored: Decodable {
        struct Confirmed: Decodable {
            let signalingKey: Data
            let supportsSms: Bool
            let registrationId: Int?
        }

        let password: String
        let keys: [UInt32]
        let confirmed: Confirmed
        let push: [String: String]
    }

    private func stored(_ account: TestAccount) throws -> Stored {
        try JSONDecoder().decode(Stored.self, from: Data(server.tell("account \(account.number)").utf8))
    }

    @Test func `registration in its order, and push services`() throws {
        let (account, key) = (ann.number, ann.account.signalingKey)
        #expect(throws: ServerError.unauthorized) { try server.ask(.uploadKeys(of: ann.account), ann) }
        #expect(throws: ServerError.badNumber) { try server.ask(.code(for: number("+9991234567"), by: .voice)) }
        try server.ask(.code(for: account, by: .voice))
        try server.ask(.code(for: account, by: .sms))
        #expect(throws: ServerError.tooManyRequests) { try server.ask(.code(for: account, by: .sms)) }
        let code = try server.tell("code \(account)")
        #expect(throws: ServerError.wrongCode) {
            try server.ask(.confirm(code: "000-000", signalingKey: key), ann)
        }
        try server.ask(.confirm(code: code.prefix(3) + "-" + code.suffix(3), signalingKey: key), ann)
        let first = try stored(ann)
        #expect(Array(first.password.utf8) == ann.password.held.bytes.copied && first.keys.isEmpty)
        #expect(Array(first.confirmed.signalingKey) == key.held.bytes.copied)
        #expect(first.confirmed.registrationId == nil && !first.confirmed.supportsSms)
        // The code was used.
        #expect(throws: ServerError.wrongCode) { try server.ask(.confirm(code: code, signalingKey: key), ann) }

        try ann.register(at: server, supportsSMS: true)
        try server.ask(.register("token of ä \"device\" / 1", at: .apn), ann)
        try server.ask(.register(String(repeating: "g", count: 4096), at: .gcm), ann)
        let second = try stored(ann)
        #expect(second.confirmed.registrationId == Int(ann.account.registrationID) && second.confirmed.supportsSms)
        #expect(second.keys == ann.account.prekeys.publicPrekeys().map(\.id).sorted() && second.keys.count == 100)
        #expect(second.push["apnRegistrationId"] == "token of ä \"device\" / 1")
        #expect(second.push["gcmRegistrationId"]?.utf8.count == 4096)
        let stranger = try TestAccount("+12025550123", prekeys: 1)
        #expect(throws: ServerError.unauthorized) { try server.ask(.register("x", at: .gcm), stranger) }
    }

    @Test func `keys, until the last resort`() throws {
        try ann.register(at: server)
        #expect(throws: ServerError.notFound) { try server.ask(.keys(of: bob.number), ann) }
        try bob.register(at: server)
        for id in [7, 8, LastResortPrekey.id, LastResortPrekey.id] {
            let keys = try server.ask(.keys(of: bob.number), ann)
            let expected = try require(bob.account.prekey(id)).bytes.copied
            #expect(keys.identity == bob.account.identity.publicKey && keys.prekey.id == id)
            #expect(keys.prekey.key == (try agreementKey(expected)).publicKey)
        }
        // An upload replaces the list.
        try server.ask(.uploadKeys(of: bob.account), bob)
        #expect(try stored(bob).keys == [7, 8])
        try server.tell("relay \(bob.number) node-2.example")
        #expect(throws: ServerError.notFound) { try server.ask(.keys(of: bob.number), ann) }
        #expect(throws: ServerError.notFound) { try server.ask(.keys(of: bob.number, relay: "node-3"), ann) }
        #expect(try server.ask(.keys(of: bob.number, relay: "node-2.example"), ann).prekey.id == 7)
    }

    @Test func `a message to several receivers, and what is pushed to them`() throws {
        let (carl, dora) = (try TestAccount("+33612345678", prekeys: 1), try number("+33687654321"))
        for account in [ann, bob, carl] { try account.register(at: server) }
        try server.tell("relay \(carl.number) node-2.example")
        let texts = ["to Bob", "to Carl", "to Dora"].map { Array($0.utf8) }
        var messages: [AddressedMessage] = []
        for (receiver, text) in zip([bob, carl], texts) {
            let relay = receiver === carl ? "node-2.example" : nil
            let keys = try server.ask(.keys(of: receiver.number, relay: relay), ann)
            var session = try ann.account.initiate(
                with: PeerPrekey(id: keys.prekey.id, key: keys.prekey.key, identity: keys.identity), known: nil)
            let message = try session.seal(text.span)
            messages.append(
                AddressedMessage(to: receiver.number, relay: relay, type: 3, timestamp: now, body: message.bytes))
        }
        messages.append(AddressedMessage(to: dora, type: 0, timestamp: now, body: texts[2]))
        let result = try server.ask(.send(messages), ann)
        #expect(result == SendingResult(success: [bob.number.text, carl.number.text], failure: [dora.text]))
        #expect(try server.ask(.send([]), ann) == SendingResult(success: [], failure: []))

        for (receiver, text) in zip([bob, carl], texts) {
            let pushed = try server.tell("payloads \(receiver.number)").split(separator: " ")
            #expect(pushed.count == 1)
            let payload = try #require(PushPayload.payload(text: String(pushed[0])))
            let envelope = try PushPayload.open(payload.span, key: receiver.account.signalingKey)
            let signal = try envelope.withBytes { try IncomingPushSignal(parsing: $0) }
            #expect(signal.kind == .prekeyWhisper && signal.source == ann.number.text)
            #expect(signal.timestamp == MessageTime(UInt64(now.milliseconds)))
            let message = try PreKeyWhisperMessage(parsing: #require(signal.message).bytes.copied)
            let begun = try receiver.account.respond(to: message, known: nil, sessions: [], at: now)
            #expect(begun.plaintext.copied == text)
        }
    }

    @Test func `the directory, one batch after the other`() throws {
        for account in [ann, bob] { try account.register(at: server, supportsSMS: account === bob) }
        try server.tell("relay \(bob.number) node-2.example")
        let strangers = try (0..<1500).map { try number("+4470000\(10_000 + $0)") }
        let discovery = ContactDiscovery([ann.number] + strangers + [bob.number])
        #expect(discovery.batches.map(\.count) == [1000, 502])
        let found = try discovery.batches.flatMap { try server.ask(.contacts($0), ann) }
        #expect(
            discovery.match(found) == [
                FoundContact(number: ann.number, relay: nil, supportsSMS: false),
                FoundContact(number: bob.number, relay: "node-2.example", supportsSMS: true),
            ])
        #expect(try server.ask(.contacts([]), ann).isEmpty)
    }

    @Test(arguments: [0, 40_000, 3_000_000])
    func `attachments go to another server, without the login`(_ count: Int) throws {
        try ann.register(at: server)
        let (file, key) = (SeededRandom(seed: 1).bytes(count), AttachmentKey())
        let blob = AttachmentTests.seal(file, key, iv: Random.bytes(16), pieces: 65_536)
        let place = try server.ask(.attachmentPlace(), ann)
        // The request has a login to give away, and does not.
        try server.ask(.upload(blob, to: place.location), ann)
        let location = try server.ask(.attachment(place.id), ann)
        #expect(location != place.location && place.id > 1 << 63)
        let received = try server.ask(.download(location), ann)
        #expect(try AttachmentTests.open(received, key, pieces: 65_536) == file)
        #expect(throws: HTTPError.bodyTooLong) { try server.ask(.download(location, limit: blob.count - 1)) }
        #expect(throws: ServerError.notFound) { try server.ask(.attachment(place.id + 1), ann) }
        // The address of the upload is signed for a PUT only.
        #expect(throws: ServerError.unexpectedStatus(403)) { try server.ask(.download(place.location)) }
    }
}
