import Encodings
import HTTP
import SecureMemory
import Synchronization
import Testing
import ThreemaMessages
import VectorKit

@testable import ThreemaCalls

/// Answers what it is told to, and remembers what it was asked.
private final class TestCallServer: HTTPClient {
    let state = Mutex<(response: HTTPResponse, requests: [(url: String, request: HTTPRequest)])>(
        (HTTPResponse(status: 200), []))

    func send(
        _ request: HTTPRequest, to endpoint: borrowing HTTPEndpoint, progress: HTTPProgress?
    ) throws(HTTPError) -> HTTPResponse {
        let url = String(decoding: endpoint.url.copied, as: UTF8.self)
        return state.withLock { state in
            state.requests.append((url + request.path, request))
            return state.response
        }
    }

    func certificate(
        of endpoint: borrowing HTTPEndpoint, isExamined: Bool, within timeouts: HTTPTimeouts
    ) throws(HTTPError) -> PresentedCertificate? { nil }

    func chain(
        of endpoint: borrowing HTTPEndpoint, within timeouts: HTTPTimeouts
    ) throws(HTTPError) -> [PresentedCertificate] { [] }
}

@Suite struct CallServerTests {
    private let http = TestCallServer()
    private let server = try! CallServer("https://a.sfu.threema.test/x", suffixes: [".threema.test"])
    private let id = GroupCallID([UInt8](repeating: 0xab, count: 32))
    private let token = EnclosedBytes(copying: Array("to-ken".utf8).span)
    private let fingerprint = CertificateFingerprint([UInt8](repeating: 5, count: 32))

    private var client: CallClient { CallClient(http, server, userAgent: "test/1") }

    private func answer(_ status: Int, _ body: [UInt8] = []) {
        http.state.withLock { $0.response = HTTPResponse(status: status, body: body) }
    }

    private func field(_ number: Int, _ bytes: [UInt8]) -> [UInt8] {
        var message: [UInt8] = []
        ProtobufWire.append(bytes.span, number: number, to: &message)
        return message
    }

    private func field(_ number: Int, _ value: UInt64) -> [UInt8] {
        var message: [UInt8] = []
        ProtobufWire.append(value, number: number, to: &message)
        return message
    }

    private func address(_ protocolNumber: UInt64 = 0, port: UInt64 = 9, ip: String = "1.2.3.4") -> [UInt8] {
        field(4, field(1, protocolNumber) + field(2, port) + field(3, Array(ip.utf8)))
    }

    private var joined: [UInt8] {
        field(1, 1_700_000_000_000) + field(2, 16) + field(3, 3) + field(5, Array("frag".utf8))
            + field(6, Array("pass".utf8)) + field(7, fingerprint.bytes)
    }

    @Test func `a peek and its answers`() throws {
        answer(200, field(1, 1_700_000_000_000) + field(2, 16) + field(3, [1, 2]))
        let peek = try client.ask(.peek(id, at: server, token: token))
        #expect(peek == CallPeek(startedAt: 1_700_000_000_000, maxParticipants: 16, encryptedState: [1, 2]))
        answer(200)
        #expect(try client.ask(.peek(id, at: server, token: token)).encryptedState == nil)
        let (url, request) = http.state.withLock { $0.requests[0] }
        #expect(url == "https://a.sfu.threema.test/x/v1/peek/" + String(repeating: "ab", count: 32))
        #expect(request.method == .post && request.body == field(1, id.bytes))
        #expect(request.headers.contains("Authorization: ThreemaSfuToken to-ken"))
        #expect(request.headers.contains("User-Agent: test/1"))
        #expect(request.timeouts.total == .seconds(5))
    }

    /// 10 seconds are the specification's; Android waits 20.
    @Test func `a join and its answer`() throws {
        answer(200, joined + address() + address(1, port: 0) + address(ip: "::1"))
        let join = try client.ask(.join(id, at: server, token: token, fingerprint: fingerprint))
        #expect(join.participant == 3 && join.maxParticipants == 16 && join.startedAt == 1_700_000_000_000)
        #expect(join.addresses == [.init(ip: "1.2.3.4", port: 9), .init(ip: "::1", port: 9)])
        #expect(join.userFragment == "frag" && join.password == "pass" && join.fingerprint == fingerprint)
        let (url, request) = http.state.withLock { $0.requests[0] }
        #expect(url == "https://a.sfu.threema.test/x/v1/join/" + String(repeating: "ab", count: 32))
        #expect(request.body == field(1, id.bytes) + field(2, 1) + field(3, fingerprint.bytes))
        #expect(request.timeouts.total == .seconds(10))
    }

    @Test(arguments: [
        (400, CallError.badRequest), (401, .unauthorized), (404, .unknownCall), (419, .otherVersion),
        (503, .full), (500, .unexpectedStatus(500)), (204, .unexpectedStatus(204)), (302, .unexpectedStatus(302)),
    ])
    func `statuses`(_ status: Int, _ error: CallError) {
        answer(status)
        #expect(throws: CallFailure.service(error)) { try client.ask(.peek(id, at: server, token: token)) }
        #expect(throws: CallFailure.service(error)) {
            try client.ask(.join(id, at: server, token: token, fingerprint: fingerprint))
        }
    }

    @Test func `malformed answers`() throws {
        let many = [[UInt8]](repeating: address(), count: 65).flatMap { $0 }
        let bodies: [([UInt8], CallMessageError)] = [
            (joined, .field(4)), (joined + address(1), .field(4)), (joined + address(port: 0), .field(4)),
            (joined + address(port: 65_536), .field(4)), (joined + address(ip: ""), .field(3)),
            (joined + many, .field(4)),
            (address(), .field(5)), (joined + address() + field(7, [1]), .field(7)),
            (joined + address() + field(2, 1 << 32), .field(2)), (joined + [0x0f], .protobuf),
        ]
        for (body, error) in bodies {
            answer(200, body)
            #expect(throws: CallFailure.service(.malformed(error))) {
                try client.ask(.join(id, at: server, token: token, fingerprint: fingerprint))
            }
        }
        answer(200, [UInt8](repeating: 0, count: 256 * 1024 + 1))
        #expect(throws: CallFailure.service(.tooLong(limit: 256 * 1024))) {
            try client.ask(.peek(id, at: server, token: token))
        }
    }

    @Test func `tokens that cannot stand in a header`() {
        for bad in ["", "a b", "a\r\nX: y", "ä"] {
            let bytes = Array(bad.utf8)
            let token = EnclosedBytes(copying: bytes.span)
            #expect(throws: CallError.badToken) {
                try CallRequest<CallPeek>.peek(id, at: server, token: token)
            }
        }
    }

    @Test func `only servers that the directory names`() throws {
        let names = [".sfu.threema.test", "threema.example"]
        for good in [
            "https://a.sfu.threema.test", "https://A.SFU.threema.test:8443/y", "https://threema.example/",
            "https://x.threema.example/",
        ] {
            let url = try CallServer(good, suffixes: names).url
            #expect(url == (good.hasSuffix("/") ? good : good + "/"))
        }
        for bad in [
            "https://sfu.threema.test", "https://evil-threema.example", "https://threema.example.evil",
            "https://evil/.sfu.threema.test", "https://evil:443/a.sfu.threema.test",
        ] {
            #expect(throws: CallServerError.notAllowed, "\(bad)") { try CallServer(bad, suffixes: names) }
        }
        for bad in [
            "http://threema.example", "https://u:p@threema.example", "https://threema.example?x", "", "https://",
            "https://threema.example#x", "https://evil\\.threema.example", "https://threema.example/a b",
            "https://evil%2f.threema.example", "https://threema.example/" + String(repeating: "x", count: 1024),
        ] {
            #expect(throws: CallServerError.badURL, "\(bad)") { try CallServer(bad, suffixes: names) }
        }
        #expect(throws: CallServerError.notAllowed) { try CallServer("https://threema.example", suffixes: []) }
        let own = try CallServer(server.url, suffixes: [".threema.test"], authority: [1, 2])
        #expect(own.endpoint.authority == [1, 2] && server.endpoint.authority == nil && own != server)
        #expect(throws: CallServerError.notAllowed) { try CallServer("https://threema.example", suffixes: ["", "."]) }
    }
}
