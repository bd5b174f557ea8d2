import HTTP
import HTTPTransport
import SecureMemory
import ServerKit
import Testing

/// Which requests share a connection, and what becomes of one that breaks.
@Suite struct ConnectionTests {
    private let server: HTTPSServer
    private let client = CurlClient()

    init() throws { server = try HTTPSServer() }

    private func endpoint(password: String? = nil, authority: [UInt8]? = nil, pins: [PublicKeyPin] = []) -> HTTPEndpoint
    {
        let url = Array(server.origin.utf8)
        let login = password.map { text in
            let bytes = Array(text.utf8)
            return Login(user: "alice", password: SecureBytes(copying: bytes.span))
        }
        return HTTPEndpoint(
            url: SecureBytes(copying: url.span), login: login, authority: authority ?? server.authority, pins: pins)
    }

    private func ask(
        _ method: HTTPRequest.Method, _ path: String, at endpoint: borrowing HTTPEndpoint
    ) throws -> HTTPResponse {
        let body: [UInt8]? = method == .put || method == .post ? [1, 2, 3] : nil
        return try client.send(
            HTTPRequest(method, path, headers: ["Expect:"], body: body, limit: 100), to: endpoint, progress: nil)
    }

    /// How many connections there were, and how many requests for /vanish.
    private func counts() throws -> [Int] {
        String(decoding: try ask(.get, "/counts", at: endpoint()).body, as: UTF8.self)
            .split(separator: " ").compactMap { Int($0) }
    }

    @Test func `requests of all methods share one`() throws {
        let login = endpoint(password: "correct horse")
        for method: HTTPRequest.Method in [.get, .put, .post, .head, .delete, .mkcol, .head, .get] {
            _ = try ask(method, "/safe/x", at: login)
        }
        #expect(try counts() == [2, 0])
    }

    @Test func `a POST goes with its body and type, and a broken one is not sent again`() throws {
        let endpoint = endpoint()
        var request = HTTPRequest(
            .post, "/echo", headers: ["Content-Type: application/json"], body: Array("{}".utf8), limit: 100)
        let echo = try client.send(request, to: endpoint, progress: nil)
        #expect(String(decoding: echo.body, as: UTF8.self) == "POST ['application/json'] {}")
        request = HTTPRequest(.post, "/vanish", body: [1], limit: 100)
        #expect(throws: HTTPError.connection(.brokenOff)) { try client.send(request, to: endpoint, progress: nil) }
        #expect(try counts().last == 1)
    }

    @Test func `a HEAD has the length of a GET and no body`() throws {
        let get = try ask(.get, "/echo", at: endpoint())
        #expect(get.status == 200 && get.body.count == 9)
        let head = try ask(.head, "/echo", at: endpoint())
        #expect(head.status == 200 && head.body.isEmpty && head.headers["content-length"] == "10")
        #expect(try counts() == [1, 0])
    }

    @Test func `one that was idle for longer than servers keep theirs is left`() async throws {
        #expect(try counts() == [1, 0])
        try await Task.sleep(for: .milliseconds(4500))
        #expect(try counts() == [2, 0])
    }

    @Test func `another login, other authorities and other pins have one of their own`() throws {
        let pin = try #require(try client.certificate(of: endpoint(), isExamined: false, within: HTTPTimeouts())?.pin)
        let before = try counts()[0]
        _ = try ask(.get, "/counts", at: endpoint(password: "x"))
        _ = try ask(.get, "/counts", at: endpoint(password: "y"))
        _ = try ask(.get, "/counts", at: endpoint(authority: server.authority + Array("\n".utf8)))
        _ = try ask(.get, "/counts", at: endpoint(pins: [pin]))
        _ = try ask(.get, "/counts", at: endpoint(pins: [pin]))
        #expect(try counts()[0] == before + 4)
    }

    @Test func `a connection that nobody trusted is not used for a request`() throws {
        let url = Array(server.origin.utf8)
        let stranger = HTTPEndpoint(url: SecureBytes(copying: url.span))
        _ = try client.certificate(of: stranger, isExamined: true, within: HTTPTimeouts())
        #expect(throws: HTTPError.certificate(.selfSigned)) { _ = try ask(.get, "/counts", at: stranger) }
        _ = try client.certificate(of: endpoint(), isExamined: true, within: HTTPTimeouts())
        #expect(throws: HTTPError.certificate(.selfSigned)) { _ = try ask(.get, "/counts", at: stranger) }
    }

    @Test(arguments: [HTTPRequest.Method.put, .delete, .mkcol])
    func `a write whose connection breaks is not sent again`(_ method: HTTPRequest.Method) throws {
        #expect(try counts() == [1, 0])
        #expect(throws: HTTPError.connection(.brokenOff)) { _ = try ask(method, "/vanish", at: endpoint()) }
        // libcurl has connected again before it is told not to send it.
        #expect(try counts() == [3, 1])
    }

    @Test(arguments: [HTTPRequest.Method.get, .head])
    func `a read on a kept connection is sent again on a new one`(_ method: HTTPRequest.Method) throws {
        #expect(try counts() == [1, 0])
        #expect(throws: HTTPError.connection(.brokenOff)) { _ = try ask(method, "/vanish", at: endpoint()) }
        #expect(try counts() == [3, 2])
    }
}
