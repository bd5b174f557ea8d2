import HTTP
import SecureMemory
import Testing
import Threema
@testable import ThreemaDirectory
import VectorKit

@Suite struct MatchTests {
    private let directory = TestDirectory()

    /// Registers somebody with an address at Google's other domain, and a phone number.
    private func known() throws -> ThreemaID {
        let person = try Person(directory)
        directory.state.withLock {
            $0.identities[person.id.text]?.email = "ann@googlemail.com"
            $0.identities[person.id.text]?.mobile = "41791234567"
        }
        return person.id
    }

    @Test func `contacts are found by both kinds of hash`() throws {
        let known = try known()
        let person = try Person(directory)
        let hashes =
            try EmailAddress(normalizing: "Ann@gmail.com").hashes
            + [ContactHash(PhoneNumber(parsing: "+41791234567")), ContactHash(PhoneNumber(parsing: "+41790000000"))]
        var token: MatchToken?
        let found = try person.client.match(hashes, for: person.id, key: person.key, token: &token)
        #expect(found.checkInterval == 86_400)
        #expect(found.contacts.map(\.id) == [known])
        #expect(found.contacts[0].hashes == [hashes[1], hashes[2]])
    }

    @Test func `a contact with a key that nobody can have has none, and does not hide the others`() throws {
        let broken = try known()
        directory.state.withLock { $0.identities[broken.text]?.publicKey = [UInt8](repeating: 0, count: 32) }
        let known = try known()
        let person = try Person(directory)
        var token: MatchToken?
        let hashes = [ContactHash(try PhoneNumber(parsing: "+41791234567"))]
        let found = try person.client.match(hashes, for: person.id, key: person.key, token: &token).contacts
        #expect(found.first { $0.id == broken }.map { $0.publicKey == nil } == true)
        #expect(found.first { $0.id == known }.map { $0.publicKey != nil } == true)
    }

    @Test func `a stored token is used, and replaced once if it is no longer good`() throws {
        _ = try known()
        let person = try Person(directory)
        let hashes = [ContactHash(try PhoneNumber(parsing: "+41791234567"))]
        var token: MatchToken?
        _ = try person.client.match(hashes, for: person.id, key: person.key, token: &token)
        let text = Self.text(token)
        var before = directory.requests.count
        _ = try person.client.match(hashes, for: person.id, key: person.key, token: &token)
        #expect(Self.text(token) == text)
        #expect(directory.requests[before...] == ["identity/match"])
        before = directory.requests.count
        token = Self.old()
        let found = try person.client.match(hashes, for: person.id, key: person.key, token: &token)
        #expect(found.contacts.count == 1)
        #expect(Self.text(token) != text && Self.text(token) != "old")
        #expect(
            directory.requests[before...] == [
                "identity/match", "identity/match_token", "identity/match_token", "identity/match",
            ])
    }

    private static func old() -> MatchToken {
        let bytes = Array("old".utf8)
        return MatchToken(SecureBytes(copying: bytes.span))
    }

    private static func text(_ token: borrowing MatchToken?) -> String? {
        switch token {
        case .some(let token): String(decoding: token.bytes.copied, as: UTF8.self)
        case .none: nil
        }
    }

    /// A search with a token that is not good.
    private func searchWithOld(_ person: Person) throws {
        let hashes = [ContactHash(try PhoneNumber(parsing: "+41791234567"))]
        var token: MatchToken? = Self.old()
        _ = try person.client.match(hashes, for: person.id, key: person.key, token: &token)
    }

    @Test func `the second failure counts`() throws {
        let person = try Person(directory)
        directory.answer(500)
        directory.answer(200, #"{"success":false,"error":"Still"}"#, skipping: 3)
        let before = directory.requests.count
        #expect(throws: DirectoryFailure.refused("Still")) {
            try searchWithOld(person)
        }
        #expect(directory.requests.count == before + 4)
    }

    @Test func `a directory that asks to wait gets no further request`() throws {
        let person = try Person(directory)
        directory.answer(429, "", headers: ["retry-after": "60"])
        let before = directory.requests.count
        #expect(throws: DirectoryFailure.service(.rateLimited(seconds: 60))) {
            try searchWithOld(person)
        }
        #expect(directory.requests.count == before + 1)
    }
}
