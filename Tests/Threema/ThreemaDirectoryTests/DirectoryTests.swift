import Encodings
import HTTP
import SecureMemory
import Testing
import Threema
@testable import ThreemaDirectory
import VectorKit

/// Every endpoint, against a directory that verifies proofs itself.
@Suite struct DirectoryTests {
    private let directory = TestDirectory()

    @Test func `create, fetch, and what everybody may know`() throws {
        let person = try Person(directory)
        let entry = try person.ask(.fetch(person.id))
        #expect(entry.publicKey == person.key.publicKey && entry.id == person.id)
        #expect(entry.state == .active && entry.kind == .regular)
        let own = try person.ask(.fetchOwn(person.id))
        #expect(own == OwnEntry(serverGroup: "0a", email: nil, mobileNumber: nil))
        let nobody = ThreemaID.random()
        #expect(throws: DirectoryFailure.service(.unknownIdentity)) { try person.ask(.fetch(nobody)) }
        let other = try Person(directory)
        let entries = try person.ask(.fetch([other.id, nobody, person.id]))
        #expect(entries.map(\.id) == [other.id, person.id])
        #expect(entries[0].publicKey == other.key.publicKey)
    }

    @Test func `a directory refuses in its own words`() throws {
        let client = try Person.client(directory)
        let key = ClientKey.random()
        #expect(throws: DirectoryFailure.refused("Which device?")) { try client.ask(.create(key), key: key) }
        let nobody = ThreemaID.random()
        #expect(throws: DirectoryFailure.refused("Identity not found")) {
            try client.ask(.fetchOwn(nobody), key: key)
        }
    }

    @Test func `another key proves nothing`() throws {
        let person = try Person(directory)
        let other = ClientKey.random()
        let expected = DirectoryFailure.service(.unauthorized(.invalidChallengeResponse))
        #expect(throws: expected) { try person.client.ask(.revoke(person.id), key: other) }
        #expect(directory.record(person.id)?.state == 0)
    }

    @Test func `features and states in order`() throws {
        let person = try Person(directory)
        try person.ask(.setFeatureMask([.groups, .forwardSecurity], of: person.id))
        let nobody = ThreemaID.random()
        let masks = try person.ask(.checkFeatureMask([nobody, person.id]))
        #expect(masks == [nil, [.groups, .forwardSecurity]])
        let checked = try person.ask(.check([person.id, nobody]))
        #expect(checked.checkInterval == 3600)
        #expect(checked.identities.map(\.id) == [person.id, nobody])
        #expect(checked.identities.map(\.state) == [.active, .invalid])
        #expect(checked.identities.map(\.featureMask) == [[.groups, .forwardSecurity], nil])
    }

    @Test func `an e-mail address is linked, asked for, and unlinked`() throws {
        let person = try Person(directory)
        let email = try EmailAddress(normalizing: "Ann@Example.org")
        var isLinked = try person.ask(.isLinked(email, to: person.id))
        #expect(!isLinked)
        var result = try person.ask(.link(email, to: person.id, language: "en"))
        #expect(result == .mailSent)
        person.confirmMail()
        isLinked = try person.ask(.isLinked(email, to: person.id))
        #expect(isLinked)
        let before = directory.requests.count
        result = try person.ask(.link(email, to: person.id, language: "en"))
        #expect(result == .alreadyLinked && directory.requests.count == before + 1)
        let own = try person.ask(.fetchOwn(person.id))
        #expect(own.email?.text == "ann@example.org")
        result = try person.ask(.unlinkEmail(of: person.id, language: "en"))
        #expect(result == .unlinked && directory.record(person.id)?.email == nil)
    }

    @Test func `a phone number is linked by its code, and unlinked`() throws {
        let person = try Person(directory)
        let number = try PhoneNumber(parsing: "+41 79 123 45 67")
        let result = try person.ask(.link(number, to: person.id, language: "de"))
        guard case .codeSent(let verification) = result else {
            Issue.record("\(result)")
            return
        }
        try person.ask(.call(verification))
        // The control character of the directory's words is replaced.
        #expect(throws: DirectoryFailure.refused("Wrong code\u{fffd}")) {
            try person.ask(.verify(verification, code: "000000"))
        }
        #expect(directory.record(person.id)?.mobile == nil)
        try person.ask(.verify(verification, code: "123456"))
        let own = try person.ask(.fetchOwn(person.id))
        #expect(own.mobileNumber?.text == "41791234567")
        let unlinked = try person.ask(.unlinkMobile(of: person.id, language: "de"))
        #expect(unlinked == .unlinked && directory.record(person.id)?.mobile == nil)
    }

    @Test func `revocation by key and by password`() throws {
        let person = try Person(directory)
        var status = try person.ask(.checkRevocationKey(of: person.id))
        #expect(status == RevocationStatus(isSet: false, lastChanged: nil))
        let key = RevocationKey(password: Array("a password".utf8).span)
        try person.ask(.setRevocationKey(key, of: person.id))
        status = try person.ask(.checkRevocationKey(of: person.id))
        #expect(status.isSet && status.lastChanged?.rfc3339 == "2014-10-29T12:32:54Z")
        let wrong = RevocationKey(password: Array("another one".utf8).span)
        #expect(throws: DirectoryFailure.refused("Invalid revocation key")) {
            try person.ask(.revoke(person.id, by: wrong))
        }
        try person.ask(.revoke(person.id, by: key))
        #expect(throws: DirectoryFailure.service(.unknownIdentity)) { try person.ask(.fetch(person.id)) }
        let other = try Person(directory)
        try other.ask(.revoke(other.id))
        #expect(directory.record(other.id)?.state == 2)
    }

    @Test func `what other servers want to see`() throws {
        let person = try Person(directory)
        let turn = try person.ask(.turnCredentials(for: person.id))
        #expect(turn.urls == ["turn:a"] && turn.user == "u" && turn.expiration == 60)
        #expect(turn.password.copied == Array("p".utf8))
        let call = try person.ask(.groupCallCredentials(for: person.id))
        #expect(call.baseURL == "https://sfu.example" && call.allowedHostSuffixes == [".example"])
        #expect(call.token.copied == Array("sfu".utf8))
        let blob = try person.ask(.blobCredentials(for: person.id))
        #expect(blob.token.copied == Array("blob".utf8) && blob.expiration == 60)
        let token = try person.ask(.authenticationToken())
        #expect(token.copied == Array("own-token".utf8))
    }

    @Test func `reports and licences`() throws {
        let person = try Person(directory)
        let sender = ThreemaID.random()
        try person.ask(.reportJunk(from: sender, nickname: "spam", by: person.id))
        #expect(directory.state.withLock { $0.junk } == [sender.text])
        try person.ask(.updateWorkInformation([("jobTitle", "x")], of: person.id))
        func licence(_ password: String) throws -> LicenceStatus {
            let bytes = Array(password.utf8)
            return try person.ask(
                .checkLicence(
                    user: "u", password: SecureBytes(copying: bytes.span), device: "d", version: "1",
                    architecture: "x86_64"))
        }
        let valid = try licence("secret")
        let expired = try licence("other")
        #expect(valid.isValid && valid.reason == nil)
        #expect(!expired.isValid && expired.reason?.text == "Licence expired")
    }

    // MARK: Statuses

    @Test func `401, 429 and others, in either phase`() throws {
        let person = try Person(directory)
        for skipping in [0, 1] {
            func expect(_ error: DirectoryError, _ status: Int, _ body: String, _ headers: [String: String] = [:]) {
                directory.answer(status, body, skipping: skipping, headers: headers)
                #expect(throws: DirectoryFailure.service(error), "\(status) \(body)") {
                    try person.ask(.fetchOwn(person.id))
                }
            }
            expect(.unauthorized(.unknown), 401, "")
            expect(.unauthorized(.invalidCredentials), 401, #"{"code":"invalid-credentials"}"#)
            expect(.unauthorized(.challengeExpired), 401, #"{"code":"challenge-expired"}"#)
            expect(.unauthorized(.unknown), 401, #"{"code":"more"}"#)
            expect(.rateLimited(seconds: 10), 429, "")
            expect(.rateLimited(seconds: 10), 429, "", ["retry-after": "3"])
            expect(.rateLimited(seconds: 120), 429, "", ["retry-after": "120"])
            expect(.rateLimited(seconds: 86_400), 429, "", ["retry-after": "999999999"])
            for status in [302, 400, 403, 404, 500, 503] { expect(.unexpectedStatus(status), status, "") }
            expect(.refused(ServerWords("No")), 200, #"{"success":false,"error":"No"}"#)
            expect(.failed, 200, #"{"success":false}"#)
            expect(.failed, 200, #"{"success":false,"error":""}"#)
        }
    }

    @Test func `a body over the limit is too long, also if the HTTP client notices it`() throws {
        let endpoint = try DirectoryServer(url: "https://directory.example/").endpoint()
        let client = DirectoryClient(Flooded(), endpoint, userAgent: "test/1", now: { 0 })
        #expect(throws: DirectoryFailure.service(.tooLong(limit: 65_536))) {
            try client.ask(.fetch(ThreemaID.random()))
        }
    }

    @Test func `what leaves open whether a request was carried out`() {
        let open: [DirectoryFailure] = [
            .http(.connection(.brokenOff)), .service(.unexpectedStatus(502)), .service(.tooLong(limit: 1)),
            .service(.malformed(field: "identity")),
        ]
        for failure in open { #expect(failure.leavesOutcomeOpen, "\(failure)") }
        let decided: [DirectoryFailure] = [
            .service(.wrongCount(0, allowed: 1...2)), .http(.certificate(.selfSigned)), .service(.failed),
            .service(.unauthorized(.unknown)), .service(.rateLimited(seconds: 10)),
        ]
        for failure in decided { #expect(!failure.leavesOutcomeOpen, "\(failure)") }
    }

    @Test func `a connection that fails is passed on`() throws {
        let endpoint = try DirectoryServer(url: "https://elsewhere.example/").endpoint()
        let client = DirectoryClient(directory, endpoint, userAgent: "test/1", now: { 0 })
        #expect(throws: DirectoryFailure.http(.badURL)) { try client.ask(.fetch(ThreemaID.random())) }
    }
}

/// A server that sends more than it was asked for.
private struct Flooded: HTTPClient {
    func send(
        _ request: HTTPRequest, to endpoint: borrowing HTTPEndpoint, progress: HTTPProgress?
    ) throws(HTTPError) -> HTTPResponse { throw .bodyTooLong }

    func certificate(
        of endpoint: borrowing HTTPEndpoint, isExamined: Bool, within timeouts: HTTPTimeouts
    ) throws(HTTPError) -> PresentedCertificate? { nil }

    func chain(
        of endpoint: borrowing HTTPEndpoint, within timeouts: HTTPTimeouts
    ) throws(HTTPError) -> [PresentedCertificate] { [] }
}
