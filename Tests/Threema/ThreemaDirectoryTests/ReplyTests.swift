import Encodings
import HTTP
import SecureMemory
import Testing
import Threema
import VectorKit

@testable import ThreemaDirectory

/// Replies that a directory should not write.
@Suite struct ReplyTests {
    private let id = try! ThreemaID("ECHOECHO")
    private static let key = Base64.encode([UInt8](repeating: 9, count: 32).span)
    private static let entry =
        #"{"identity":"ECHOECHO","publicKey":"\#(key)","featureMask":255,"state":0,"type":0}"#

    private func reply(_ body: String) -> HTTPResponse { HTTPResponse(status: 200, body: Array(body.utf8)) }

    // MARK: An identity

    @Test(arguments: [
        ("identity", #""ECHOECH0""#), ("identity", #""echoecho""#), ("identity", "1"), ("publicKey", "null"),
        ("publicKey", #""AA""#), ("publicKey", #""AA==\n""#), ("featureMask", "-1"), ("featureMask", "1.5"),
        ("featureMask", "18446744073709551616"), ("featureMask", #""1""#), ("state", "3"), ("state", "true"),
        ("type", "1e3"), ("type", "null"),
    ])
    func `a field that is wrong`(_ field: String, _ value: String) throws {
        let value = try JSONScanner.parse(Array(value.utf8).span)
        let entry = try JSONScanner.parse(Array(Self.entry.utf8).span)
        let request = DirectoryRequest.fetch(id)
        let body = HTTPResponse(status: 200, body: entry.setting(field, to: value).encoded)
        #expect(throws: DirectoryError.malformed(field: field)) { try request.answer(body) }
        let missing = HTTPResponse(status: 200, body: entry.setting(field, to: nil).encoded)
        #expect(throws: DirectoryError.malformed(field: field)) { try request.answer(missing) }
    }

    @Test func `the greatest mask`() throws {
        let body = Self.entry.replacing("255", with: "18446744073709551615")
        #expect(try DirectoryRequest.fetch(id).answer(reply(body)).featureMask.rawValue == .max)
    }

    @Test func `a reply that is cut or altered is an error or an entry of this identity`() throws {
        let request = DirectoryRequest.fetch(id)
        let whole = Array(Self.entry.utf8)
        for count in whole.indices {
            #expect(throws: DirectoryError.self) {
                try request.answer(HTTPResponse(status: 200, body: Array(whole[..<count])))
            }
        }
        for bit in 0..<whole.count * 8 {
            var body = whole
            body[bit / 8] ^= 1 << (bit % 8)
            do throws(DirectoryError) {
                #expect(try request.answer(HTTPResponse(status: 200, body: body)).id == id)
            } catch {
                switch error {
                case .malformed, .badJSON: break
                default: Issue.record("\(error)")
                }
            }
        }
    }

    @Test func `what costs too much is not read`() {
        let request = DirectoryRequest.fetch(id)
        let long = HTTPResponse(status: 200, body: [UInt8](repeating: 0x20, count: 64 * 1024 + 1))
        #expect(throws: DirectoryError.tooLong(limit: 64 * 1024)) { try request.answer(long) }
        #expect(request.http.limit == 64 * 1024)
        let deep = String(repeating: "[", count: 60_000)
        #expect(throws: DirectoryError.badJSON(.tooDeep(limit: 8))) { try request.answer(reply(deep)) }
        let many = "[" + String(repeating: "1,", count: 20_000) + "1]"
        #expect(throws: DirectoryError.badJSON(.tooManyValues(limit: 1000))) { try request.answer(reply(many)) }
        #expect(throws: DirectoryError.badJSON(.duplicateName(offset: 7))) {
            try request.answer(reply(#"{"a":1,"a":1}"#))
        }
        #expect(throws: DirectoryError.malformed(field: "identity")) { try request.answer(reply("[]")) }
    }

    // MARK: Lists

    @Test func `a list of identities holds only what was asked for, once`() throws {
        let request = try DirectoryRequest.fetch([id, ThreemaID("ABCDEFGH")])
        let two = #"{"identities":[\#(Self.entry),\#(Self.entry)]}"#
        #expect(throws: DirectoryError.malformed(field: "identities")) { try request.answer(reply(two)) }
        let other = #"{"identities":[\#(Self.entry.replacing("ECHOECHO", with: "OTHEROTH"))]}"#
        #expect(throws: DirectoryError.malformed(field: "identities")) { try request.answer(reply(other)) }
        for body in ["{}", #"{"identities":{}}"#, #"{"identities":[1]}"#, #"{"identities":null}"#] {
            #expect(throws: DirectoryError.malformed(field: "identities")) { try request.answer(reply(body)) }
        }
        #expect(try request.answer(reply(#"{"identities":[]}"#)) == [])
    }

    @Test func `an ID that is found twice has one key`() throws {
        let phone = ContactHash(try PhoneNumber(parsing: "+41791234567"))
        let email = ContactHash(try EmailAddress(normalizing: "ann@example.org"))
        let request = try DirectoryRequest.match([phone, email])
        func body(_ key: String) -> HTTPResponse {
            let first = #"{"identity":"ECHOECHO","publicKey":"\#(Self.key)","mobileNoHash":"\#(phone.base64)"}"#
            let second = #"{"identity":"ECHOECHO","publicKey":"\#(key)","emailHash":"\#(email.base64)"}"#
            return reply(#"{"identities":[\#(first),\#(second)]}"#)
        }
        #expect(try request.answer(body(Self.key)).contacts.count == 2)
        for byte: UInt8 in [8, 0] {
            let other = Base64.encode([UInt8](repeating: byte, count: 32).span)
            #expect(throws: DirectoryError.malformed(field: "publicKey")) { try request.answer(body(other)) }
        }
    }

    @Test func `lists in order have the length of the question`() throws {
        let masks = try DirectoryRequest.checkFeatureMask([id])
        for list in ["[]", "[1,2]", #"["1"]"#, "1", "[-1]", "[[1]]"] {
            #expect(throws: DirectoryError.malformed(field: "featureMasks")) {
                try masks.answer(reply(#"{"featureMasks":\#(list)}"#))
            }
        }
        let check = try DirectoryRequest.check([id])
        let body = #"{"states":[0],"types":[0],"featureMasks":[null]}"#
        #expect(try check.answer(reply(body)).checkInterval == 86_400)
        for (from, to) in [("[0],\"t", "[null],\"t"), ("[0],\"t", "[3],\"t"), ("\"types\":[0]", "\"types\":[]")] {
            #expect(throws: DirectoryError.self) { try check.answer(reply(body.replacing(from, with: to))) }
        }
    }

    @Test(arguments: [(0, 60), (59, 60), (3600, 3600), (86_400_000, 30 * 86_400)])
    func `an interval has bounds`(_ said: Int, _ taken: Int) throws {
        let body = #"{"checkInterval":\#(said),"states":[0],"types":[0],"featureMasks":[1]}"#
        #expect(try DirectoryRequest.check([id]).answer(reply(body)).checkInterval == taken)
    }

    @Test func `too many identities or hashes, or none, are no question`() throws {
        for count in [0, 1001] {
            let ids = [ThreemaID](repeating: id, count: count)
            let error = DirectoryError.wrongCount(count, allowed: 1...1000)
            #expect(throws: error) { try DirectoryRequest.fetch(ids) }
            #expect(throws: error) { try DirectoryRequest.check(ids) }
            #expect(throws: error) { try DirectoryRequest.checkFeatureMask(ids) }
        }
        let hash = ContactHash(try PhoneNumber(parsing: "+41791234567"))
        for count in [0, 10_001] {
            let error = DirectoryError.wrongCount(count, allowed: 1...10_000)
            #expect(throws: error) { try DirectoryRequest.match([ContactHash](repeating: hash, count: count)) }
        }
        #expect(try DirectoryRequest.fetch([ThreemaID](repeating: id, count: 1000)).http.path == "identity/fetch_bulk")
    }

    @Test func `a token with quotes and control characters stands in the request as it is`() throws {
        let text = "a\"b\\c\n\u{1}é"
        let hash = ContactHash(try PhoneNumber(parsing: "+41791234567"))
        let token = MatchToken(SecureBytes(copying: Array(text.utf8).span))
        let request = try DirectoryRequest.match([hash], token: token)
        let body = try #require(request.http.body)
        let fields = try JSONScanner.parse(body.span)
        #expect(fields["matchToken"]?.string == text)
        #expect(fields["mobileNoHashes"]?.array?.count == 1 && fields["emailHashes"]?.array == [])
    }

    @Test(arguments: ["identity/link_email", "identity/link_mobileno"])
    func `nothing to unlink is nothing that was linked already`(_ path: String) throws {
        let request: SignedRequest<LinkResult> =
            path.hasSuffix("email") ? .unlinkEmail(of: id, language: "en") : .unlinkMobile(of: id, language: "en")
        #expect(request.http.path == path)
        guard case .answer(let result) = try request.next(reply(#"{"linked":true}"#), key: .random()) else {
            Issue.record("asks for a proof")
            return
        }
        #expect(result == .unlinked)
    }

    @Test func `a search finds nothing that was not looked for`() throws {
        let sent = ContactHash(try PhoneNumber(parsing: "+41791234567"))
        let other = ContactHash(try PhoneNumber(parsing: "+41791234568"))
        let request = try DirectoryRequest.match([sent])
        func found(_ hash: String) -> HTTPResponse {
            reply(#"{"identities":[{"identity":"ECHOECHO","publicKey":"\#(Self.key)"\#(hash)}]}"#)
        }
        let answer = try request.answer(found(#","mobileNoHash":"\#(sent.base64)""#))
        #expect(answer.contacts.map(\.hashes) == [[sent]] && answer.checkInterval == 86_400)
        #expect(throws: DirectoryError.malformed(field: "mobileNoHash")) {
            try request.answer(found(#","mobileNoHash":"\#(other.base64)""#))
        }
        #expect(throws: DirectoryError.malformed(field: "emailHash")) {
            try request.answer(found(#","emailHash":"\#(sent.base64)""#))
        }
        #expect(throws: DirectoryError.malformed(field: "identities")) { try request.answer(found("")) }
    }

    // MARK: Challenges

    private func challenge(_ token: [UInt8], _ key: [UInt8]) -> HTTPResponse {
        reply(#"{"token":"\#(Base64.encode(token.span))","tokenRespKeyPub":"\#(Base64.encode(key.span))"}"#)
    }

    @Test func `a challenge that proves nothing is refused`() {
        let key = ClientKey.random()
        let public32 = key.publicKey.bytes
        func expect(_ field: String, _ reply: HTTPResponse) {
            do throws(DirectoryError) {
                _ = try SignedRequest.revoke(id).next(reply, key: key)
                Issue.record("accepted: \(String(decoding: reply.body, as: UTF8.self))")
            } catch {
                #expect(error == .malformed(field: field))
            }
        }
        expect("tokenRespKeyPub", challenge([1], Array(public32.dropLast())))
        expect("tokenRespKeyPub", challenge([1], public32 + [0]))
        // Points of small order: every key would give the same response.
        expect("tokenRespKeyPub", challenge([1], [UInt8](repeating: 0, count: 32)))
        expect("tokenRespKeyPub", challenge([1], [1] + [UInt8](repeating: 0, count: 31)))
        expect("token", challenge([], public32))
        expect("token", challenge([UInt8](repeating: 1, count: 4097), public32))
        expect("tokenRespKeyPub", reply(#"{"token":"AA=="}"#))
        expect("token", reply(#"{"token":"?","tokenRespKeyPub":"\#(Self.key)"}"#))
        expect("token", reply(#"{"success":true}"#))
    }

    @Test func `the second request repeats the first, and proves it`() throws {
        let key = ClientKey.random()
        let request = SignedRequest.setRevocationKey(RevocationKey(password: Array("password".utf8).span), of: id)
        let firstBody = request.http.body ?? []
        let first = try JSONScanner.parse(firstBody.span)
        let publicKey = ClientKey.random().publicKey.bytes
        guard case .request(let second) = try request.next(challenge([7, 7], publicKey), key: key) else {
            Issue.record("no second request")
            return
        }
        #expect(second.path == request.http.path && second.method == .post)
        let secondBody = second.body ?? []
        let fields = try JSONScanner.parse(secondBody.span)
        let names = fields.members?.map(\.name)
        #expect(names == ["identity", "revocationKey", "token", "response"])
        #expect(first["revocationKey"]?.string == "XohImA==")
        #expect(fields["revocationKey"]?.string == first["revocationKey"]?.string)
        #expect(fields["token"]?.string == "Bwc=")
        let expected = try Challenge(token: [7, 7], publicKey: #require(PublicKey(publicKey))).response(of: key)
        #expect(fields["response"]?.string == Base64.encode(expected.span))
    }

    @Test func `words are cut and hold no control characters`() {
        #expect(ServerWords("a\u{1b}[2Jb\u{202e}c\nd").text == "a\u{fffd}[2Jb\u{fffd}c\u{fffd}d")
        #expect(ServerWords(String(repeating: "ä", count: 1000)).text.unicodeScalars.count == 512)
    }

    @Test func `a result without success is none`() {
        let request = DirectoryRequest.revoke(id, by: RevocationKey(password: Array("password".utf8).span))
        for body in ["{}", "", #"{"success":1}"#, #"{"success":null}"#, #"{"success":"true"}"#] {
            #expect(throws: DirectoryError.self, "\(body)") { try request.answer(reply(body)) }
        }
        #expect(throws: DirectoryError.refused(ServerWords("No"))) { try request.answer(reply(#"{"error":"No"}"#)) }
        #expect(throws: DirectoryError.malformed(field: "success")) {
            try request.answer(HTTPResponse(status: 204, body: []))
        }
    }

    @Test func `an ISO time is a time`() throws {
        let request = SignedRequest.checkRevocationKey(of: id)
        for time in ["2014-10-29 12:32:54Z", "2014-02-30T12:32:54Z", "2014-10-29T12:32:54", "", "2014-10-2-T12:32:54Z"]
        {
            #expect(throws: DirectoryError.malformed(field: "lastChanged")) {
                try request.answer(reply(#"{"revocationKeySet":true,"lastChanged":"\#(time)"}"#))
            }
        }
    }
}
