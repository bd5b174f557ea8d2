import Encodings
import HTTP
import SecureMemory
import Testing
import VectorKit

@testable import TextSecure

@Suite struct RequestTests {
    private func number() throws -> AccountNumber { try #require(AccountNumber("+12025550123")) }

    private func key(_ digit: Character) throws -> PublicKey33 {
        try #require(PublicKey33(try [5] + hex(String(repeating: digit, count: 64))))
    }

    private func sent<Answer>(_ request: borrowing ServerRequest<Answer>) -> String {
        let sent = request.revealHTTPRequest()
        let body = sent.body.map { " " + String(decoding: $0, as: UTF8.self) } ?? ""
        return "\(sent.method.rawValue) \(sent.path) \(sent.headers) \(request.isAuthorized)\(body)"
    }

    private func failure<Answer>(_ request: borrowing ServerRequest<Answer>, _ status: Int) -> ServerError? {
        do throws(ServerError) {
            _ = try request.answer(HTTPResponse(status: status, body: Array("{}".utf8)))
            return nil
        } catch {
            return error
        }
    }

    private func reply(_ json: String) -> HTTPResponse { HTTPResponse(status: 200, body: Array(json.utf8)) }

    @Test func login() throws {
        let text = Array("000102030405060708090a0b0c0d0e0f".utf8)
        let password = AccountPassword(secure(text))
        let login = try #require(password).login(try number())
        #expect(
            String(decoding: login.authorization.copied.dropLast(), as: UTF8.self)
                == "Authorization: Basic KzEyMDI1NTUwMTIzOjAwMDEwMjAzMDQwNTA2MDcwODA5MGEwYjBjMGQwZTBm")
    }

    @Test func codes() throws {
        let sms = ServerRequest.code(for: try number(), by: .sms)
        #expect(sent(sms) == "GET /v1/accounts/sms/code/+12025550123 [] false")
        #expect(failure(sms, 200) == nil && failure(sms, 204) == nil)
        #expect(failure(sms, 400) == .badNumber && failure(sms, 415) == .badTransport)
        #expect(failure(sms, 413) == .tooManyRequests && failure(sms, 302) == .unexpectedStatus(302))
        let voice = ServerRequest.code(for: try number(), by: .voice)
        #expect(sent(voice) == "GET /v1/accounts/voice/code/+12025550123 [] false")
    }

    @Test func confirmation() throws {
        let bytes = [UInt8](repeating: 0xff, count: 52)
        let signaling = SignalingKey(secure(bytes))
        let text = String(repeating: "/", count: 69) + "w=="
        let first = try ServerRequest.confirm(code: "123-456", signalingKey: #require(signaling))
        #expect(
            sent(first) == "PUT /v1/accounts/code/123456 [\"Content-Type: application/json\"] true "
                + #"{"signalingKey":"\#(text)","supportsSms":false}"#)
        let second = try ServerRequest.confirm(
            code: "123456", signalingKey: #require(signaling), supportsSMS: true, registrationID: 16380)
        #expect(
            sent(second).hasSuffix(
                #" {"registrationId":16380,"signalingKey":"\#(text)","supportsSms":true}"#))
        #expect(failure(first, 403) == .wrongCode && failure(first, 401) == .unauthorized)
        #expect(failure(first, 415) == .badJSON && failure(first, 400) == .unexpectedStatus(400))
        #expect(try failure(.register("x", at: .gcm), 403) == .unexpectedStatus(403))
        for code in ["", "12a", "1/2", "１２３", "1234567890123"] {
            #expect(throws: ServerError.badParameter) {
                _ = try ServerRequest.confirm(code: code, signalingKey: #require(signaling))
            }
        }
    }

    @Test func `push services`() throws {
        let apn = try ServerRequest.register("a/\"b", at: .apn)
        #expect(
            sent(apn) == "PUT /v1/accounts/apn/ [\"Content-Type: application/json\"] true "
                + #"{"apnRegistrationId":"a/\"b"}"#)
        let gcm = try ServerRequest.register("x", at: .gcm)
        #expect(
            sent(gcm).hasSuffix(#"/gcm/ ["Content-Type: application/json"] true {"gcmRegistrationId":"x"}"#))
        #expect(throws: ServerError.badParameter) { _ = try ServerRequest.register("", at: .gcm) }
    }

    @Test func `upload of keys`() throws {
        let (identity, one, last) = (try key("1"), try key("2"), try key("3"))
        let prekey = try #require(PublicPrekey(id: 1, key: one))
        let resort = try #require(PublicPrekey(id: 0xF_FFFF, key: last))
        let request = try ServerRequest.upload([prekey], lastResort: resort, identity: identity)
        #expect(
            sent(request) == "PUT /v1/keys/ [\"Content-Type: application/json\"] true "
                + #"{"keys":[{"identityKey":"\#(identity.text)","keyId":1,"publicKey":"\#(one.text)"}],"#
                + #""lastResortKey":{"identityKey":"\#(identity.text)","keyId":1048575,"publicKey":"\#(last.text)"}}"#)
        #expect(PublicPrekey(id: 0x100_0000, key: one) == nil)
    }

    @Test func `keys of a contact`() throws {
        let plain = try ServerRequest.keys(of: number())
        #expect(sent(plain) == "GET /v1/keys/+12025550123 [] true")
        let relayed = try ServerRequest.keys(of: number(), relay: "node-2.example")
        #expect(sent(relayed) == "GET /v1/keys/+12025550123?relay=node-2.example [] true")
        for relay in ["", "a&b", "ä", "a b", "²"] {
            #expect(throws: ServerError.badParameter) { _ = try ServerRequest.keys(of: number(), relay: relay) }
        }
        let (one, two) = (try key("1"), try key("2"))
        let answer = try plain.answer(
            reply(#"{"keyId":"16777215","publicKey":"\#(one.text)","identityKey":"\#(two.text)","more":[]}"#))
        #expect(answer.prekey.id == 0xFF_FFFF && answer.prekey.key == one && answer.identity == two)
        #expect(throws: ServerError.malformed(field: "keyId")) {
            _ = try plain.answer(
                reply(#"{"keyId":16777216,"publicKey":"\#(one.text)","identityKey":"\#(two.text)"}"#))
        }
        #expect(throws: ServerError.malformed(field: "publicKey")) {
            _ = try plain.answer(reply(#"{"keyId":1,"publicKey":"\#(one.text.dropLast())","identityKey":""}"#))
        }
        #expect(failure(plain, 404) == .notFound && failure(plain, 409) == .wrongDevices)
        #expect(failure(plain, 410) == .staleDevices)
    }

    @Test func directory() throws {
        let token = DirectoryToken(try number())
        let request = try ServerRequest.contacts([token])
        #expect(
            sent(request) == "PUT /v1/directory/tokens [\"Content-Type: application/json\"] true "
                + #"{"contacts":["atODmoLR2lc+xw"]}"#)
        let answer = try request.answer(
            reply(
                #"{"contacts":[{"token":"atODmoLR2lc+xw==","relay":"","supportsSms":"true"},"#
                    + #"{"token":"atODmoLR2lc+xw","relay":"n"},{"token":"atODmoLR2lc+xw","supportsSms":true}]}"#))
        #expect(answer.map(\.token) == [token, token, token])
        #expect(answer.map(\.relay) == [nil, "n", nil])
        #expect(answer.map(\.supportsSMS) == [true, false, true])
        #expect(failure(request, 400) == .badToken)
        #expect(try request.answer(reply("{}")).isEmpty)
        let many = [DirectoryToken](repeating: token, count: 1001)
        #expect(throws: ServerError.tooMany(limit: 1000)) { _ = try ServerRequest.contacts(many) }
        let entry = #"{"token":"atODmoLR2lc+xw"}"#
        let longer = "{\"contacts\":[\([String](repeating: entry, count: 1001).joined(separator: ","))]}"
        #expect(throws: ServerError.tooMany(limit: 1000)) { _ = try request.answer(reply(longer)) }
    }

    @Test func messages() throws {
        let message = AddressedMessage(
            to: try number(), relay: "node2", type: 3, timestamp: now, body: Array("hello".utf8))
        let plain = AddressedMessage(to: try number(), type: 1, timestamp: now, body: [255])
        let request = try ServerRequest.send([message, plain])
        #expect(
            sent(request) == "POST /v1/messages/ [\"Content-Type: application/json\"] true "
                + #"{"messages":[{"body":"aGVsbG8","destination":"+12025550123","relay":"node2","#
                + #""timestamp":1767225600250,"type":3},{"body":"/w","destination":"+12025550123","#
                + #""timestamp":1767225600250,"type":1}]}"#)
        let answer = try request.answer(reply(#"{"success":["+1"],"failure":[]}"#))
        #expect(answer == SendingResult(success: ["+1"], failure: []))
        #expect(throws: ServerError.malformed(field: "success")) {
            _ = try request.answer(reply(#"{"success":[1]}"#))
        }
        #expect(throws: ServerError.malformed(field: "")) { _ = try request.answer(reply("[]")) }
        #expect(throws: ServerError.malformed(field: "")) { _ = try request.answer(reply("")) }
    }

    @Test func attachments() throws {
        let request = ServerRequest.attachmentPlace()
        #expect(sent(request) == "GET /v1/attachments/ [] true")
        for id in ["18446744073709551615", "\"18446744073709551615\""] {
            let place = try request.answer(reply(#"{"id":\#(id),"location":"https://s.example/a?b=c"}"#))
            #expect(place.id == .max && place.location.url == "https://s.example/a?b=c")
        }
        for id in ["18446744073709551616", "-1", "1.0", "\"\"", "\"0x1\"", "null"] {
            #expect(throws: ServerError.malformed(field: "id")) {
                _ = try request.answer(reply(#"{"id":\#(id),"location":"https://s.example/a"}"#))
            }
        }
        for location in ["http://s.example/a", "https:///a", "https://s.example/a b", "", "https://s.example/\\n"] {
            #expect(throws: ServerError.malformed(field: "location")) {
                _ = try request.answer(reply(#"{"id":1,"location":"\#(location)"}"#))
            }
        }
        let get = ServerRequest.attachment(.max)
        #expect(sent(get) == "GET /v1/attachments/18446744073709551615 [] true")
        let place = try get.answer(reply(#"{"location":"https://s.example/a"}"#))
        let up = ServerRequest.upload([0x41], to: place)
        #expect(sent(up) == "PUT https://s.example/a [\"Content-Type: application/octet-stream\"] false A")
        let down = ServerRequest.download(place, limit: 3)
        #expect(sent(down) == "GET https://s.example/a [] false")
        #expect(try down.answer(HTTPResponse(status: 200, body: [1, 2, 3])) == [1, 2, 3])
        #expect(throws: ServerError.tooLong(limit: 3)) {
            _ = try down.answer(HTTPResponse(status: 200, body: [1, 2, 3, 4]))
        }
    }

    @Test func `10,000 mutations of each answer`() throws {
        let random = SeededRandom(seed: 1)
        let contacts = try ServerRequest.contacts([])
        let place = ServerRequest.attachmentPlace()
        let location = ServerRequest.attachment(1)
        let keys = try ServerRequest.keys(of: number())
        let sending = try ServerRequest.send([])
        let text = try key("1").text
        func changed(_ text: String) -> HTTPResponse {
            HTTPResponse(status: 200, body: random.changed(Array(text.utf8)))
        }
        var read = [0, 0, 0, 0, 0]
        for _ in 0..<10_000 {
            let entries = #"{"contacts":[{"token":"atODmoLR2lc+xw","relay":"n","supportsSms":"true"}]}"#
            if let entries = try? contacts.answer(changed(entries)), entries.count == 1 { read[0] += 1 }
            let upload = changed(#"{"id":"18446744073709551615","location":"https://s.example/a?b=c"}"#)
            if let place = try? place.answer(upload), place.location.url.hasPrefix("https://") { read[1] += 1 }
            let download = changed(#"{"location":"https://s.example/a?b=c"}"#)
            if let location = try? location.answer(download), location.url.hasPrefix("https://") { read[2] += 1 }
            let contact = changed(#"{"keyId":1,"publicKey":"\#(text)","identityKey":"\#(text)"}"#)
            if let keys = try? keys.answer(contact), keys.prekey.id < 1 << 24 { read[3] += 1 }
            let result = changed(#"{"success":["+12025550123","+41790000001"],"failure":["+12025550124"]}"#)
            if let result = try? sending.answer(result), result.success.count <= 2 { read[4] += 1 }
        }
        #expect(read.allSatisfy { (1..<10_000).contains($0) }, "\(read)")
    }
}
