import HTTP
import SecureMemory
import Testing
import Threema
import VectorKit

@testable import ThreemaDirectory

/// Over TLS, against another implementation of proofs and hashes.
@Suite struct LoopbackTests {
    private let directory: LoopbackDirectory

    init() throws { directory = try LoopbackDirectory() }

    @Test func `create, fetch, link, match, revocation key, revoke`() throws {
        let client = try directory.client()
        let key = ClientKey.random()
        let id = try client.ask(.create(key), key: key).id
        #expect(try client.ask(.fetch(id)).publicKey == key.publicKey)
        let nobody = ThreemaID.random()
        #expect(throws: DirectoryFailure.service(.unknownIdentity)) { try client.ask(.fetch(nobody)) }

        let email = try EmailAddress(normalizing: "Ann@googlemail.com")
        let mail = try client.ask(.link(email, to: id, language: "en"), key: key)
        #expect(mail == .mailSent)
        try directory.tell("mails")
        let isLinked = try client.ask(.isLinked(email, to: id))
        #expect(isLinked)
        let number = try PhoneNumber(parsing: "+41 79 123 45 67")
        guard case .codeSent(let verification) = try client.ask(.link(number, to: id, language: "en"), key: key) else {
            Issue.record("no code")
            return
        }
        let code = try directory.tell("code \(verification.text)")
        try client.ask(.verify(verification, code: code))
        let own = try client.ask(.fetchOwn(id), key: key)
        #expect(own.email?.text == "ann@googlemail.com" && own.mobileNumber?.text == "41791234567")

        var token: MatchToken?
        let hashes = try EmailAddress(normalizing: "ANN@gmail.com").hashes + [ContactHash(number)]
        let found = try client.match(hashes, for: id, key: key, token: &token)
        #expect(found.contacts == [FoundContact(id: id, publicKey: key.publicKey, hashes: [hashes[1], hashes[2]])])

        let revocation = RevocationKey(password: Array("a password".utf8).span)
        try client.ask(.setRevocationKey(revocation, of: id), key: key)
        let status = try client.ask(.checkRevocationKey(of: id), key: key)
        #expect(status.isSet)
        try client.ask(.revoke(id, by: revocation))
        #expect(throws: DirectoryFailure.service(.unknownIdentity)) { try client.ask(.fetch(id)) }
    }

    @Test func `401, 429 and words`() throws {
        let client = try directory.client()
        let key = ClientKey.random()
        let id = try client.ask(.create(key), key: key).id
        let expected: [(String, DirectoryError)] = [
            ("limit", .rateLimited(seconds: 42)), ("unauthorized", .unauthorized(.unknown)),
            ("refuse", .refused(ServerWords("In other words"))),
        ]
        for (fault, error) in expected {
            try directory.tell("\(fault) identity/fetch_priv")
            #expect(throws: DirectoryFailure.service(error)) { try client.ask(.fetchOwn(id), key: key) }
        }
        let other = ClientKey.random()
        #expect(throws: DirectoryFailure.service(.unauthorized(.invalidChallengeResponse))) {
            try client.ask(.revoke(id), key: other)
        }
        let own = try client.ask(.fetchOwn(id), key: key)
        #expect(own.serverGroup == "0a")
    }

    @Test func `an answer that is lost is a failure of the connection, sent once`() throws {
        let client = try directory.client()
        let key = ClientKey.random()
        try directory.tell("lose identity/create")
        let failure = #expect(throws: DirectoryFailure.self) { _ = try client.ask(.create(key), key: key) }
        guard case .http(.connection)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test func `another pin is no directory of ours`() throws {
        let pin = try #require(PublicKeyPin(digest: [UInt8](repeating: 1, count: 32)))
        let client = try directory.client(pins: [pin])
        #expect(throws: DirectoryFailure.http(.pinMismatch(expected: [pin], offered: directory.server.pins[0]))) {
            try client.ask(.fetch(ThreemaID.random()))
        }
    }
}
