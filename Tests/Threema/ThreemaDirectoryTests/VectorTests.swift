import Primitives
import HTTP
import SecureMemory
import Testing
import Threema
import VectorKit

@testable import ThreemaDirectory

@Suite struct VectorTests {
    private func clientKey(_ inputs: Fields) throws -> ClientKey {
        let bytes = try inputs.bytes("clientKey")
        return ClientKey(SecureBytes(copying: bytes.span))
    }

    @Test func `the response to a challenge`() throws {
        let vector = try Vector.named("dir-challenge", in: .threemaClient)
        let inputs = vector.inputs
        let key = try clientKey(inputs)
        let challenge = Challenge(
            token: try inputs.bytes("token"), publicKey: try #require(PublicKey(inputs.bytes("challengePublicKey"))))
        #expect(try challenge.response(of: key) == vector.expected.bytes("response"))
        #expect(challenge.kind.rawValue == (try inputs.string("salt")))
    }

    /// Computed by hashlib and PyNaCl from the other side: the challenge's secret key, and the client's public key.
    @Test func `the response to a challenge of Work`() throws {
        let inputs = try Vector.named("dir-challenge", in: .threemaClient).inputs
        let key = try clientKey(inputs)
        let challenge = Challenge(
            kind: .work, token: try inputs.bytes("token"),
            publicKey: try #require(PublicKey(inputs.bytes("challengePublicKey"))))
        #expect(
            try challenge.response(of: key).hex == "71bc5fdec29e07541d82925f170418447341634e028d7e06e5b5658d3f5e1384")
    }

    @Test func `hashes of addresses`() throws {
        let email = try Vector.named("match-email-hash", in: .threemaClient)
        let emailHash = ContactHash(try EmailAddress(normalizing: email.inputs.string("email")))
        #expect(try emailHash.digest == email.expected.bytes("hash"))
        #expect(try emailHash.base64 == email.expected.string("hashBase64"))
        let phone = try Vector.named("match-phone-hash", in: .threemaClient)
        let phoneHash = ContactHash(try PhoneNumber(digits: phone.inputs.string("phone")))
        #expect(try phoneHash.digest == phone.expected.bytes("hash"))
        #expect(try phoneHash.base64 == phone.expected.string("hashBase64"))
        let google = try Vector.named("match-email-gmail-alt", in: .threemaClient)
        let address = try EmailAddress(normalizing: google.inputs.string("emailRaw"))
        #expect(try address.text == google.expected.string("normalized"))
        #expect(try address.alternative?.text == google.expected.string("altNormalized"))
        #expect(
            try address.hashes.map(\.digest) == [google.expected.bytes("hash"), google.expected.bytes("altHash")])
    }

    @Test func `an identity`() throws {
        let vector = try Vector.named("fetch-identity-response", in: .threemaClient)
        let request = DirectoryRequest.fetch(try ThreemaID("ERIC4911"))
        #expect(try request.http.path == vector.inputs.string("path"))
        let entry = try request.answer(HTTPResponse(status: 200, body: vector.inputs.utf8("json")))
        #expect(try entry.id.text == vector.expected.string("identity"))
        #expect(try Int(entry.featureMask.rawValue) == vector.expected.integer("featureMask"))
        #expect(try Int(entry.state.rawValue) == vector.expected.integer("state"))
        #expect(try Int(entry.kind.rawValue) == vector.expected.integer("type"))
        // Its key is none.
        #expect(entry.publicKey == nil)
    }

    @Test func `credentials for calls`() throws {
        let vector = try Vector.named("turn-cred-response", in: .threemaClient)
        let request = SignedRequest.turnCredentials(for: try ThreemaID("ERIC4911"))
        let turn = try request.answer(HTTPResponse(status: 200, body: vector.inputs.utf8("json")))
        #expect(try turn.urls == vector.expected.strings("turnUrls"))
        #expect(try turn.dualStackURLs == vector.expected.strings("turnUrlsDualStack"))
        #expect(try turn.user == vector.expected.string("turnUsername"))
        #expect(try turn.password.copied == vector.expected.utf8("turnPassword"))
        #expect(try turn.expiration == vector.expected.integer("expiration"))
    }
}
