import HTTP
import HTTPTransport
import SecureMemory
import ServerKit
import Testing

/// How long a request waits while nothing goes or comes.
@Suite struct IdleTests {
    private let server: HTTPSServer
    private let client = CurlClient()

    init() throws { server = try HTTPSServer() }

    private func ask(_ method: HTTPRequest.Method, _ path: String, body: [UInt8]?) throws -> Int {
        let url = Array(server.origin.utf8)
        let request = HTTPRequest(
            method, path, headers: ["Expect:"], body: body, limit: 100,
            timeouts: HTTPTimeouts(idle: .seconds(2), total: .seconds(30)))
        let endpoint = HTTPEndpoint(url: SecureBytes(copying: url.span), authority: server.authority)
        return try client.send(request, to: endpoint, progress: nil).status
    }

    private func expectTimeout(_ body: () throws -> Void) {
        let took = ContinuousClock().measure {
            #expect(throws: HTTPError.connection(.timeout)) { try body() }
        }
        #expect((.seconds(2)...(.seconds(5))).contains(took), "\(took)")
    }

    @Test(arguments: ["/stall", "/stall/unread"]) func `a PUT that stalls ends in time`(_ path: String) {
        expectTimeout { _ = try ask(.put, path, body: [UInt8](repeating: 7, count: 8_000_000)) }
    }

    @Test func `a GET that stalls ends in time`() {
        expectTimeout { _ = try ask(.get, "/stall", body: nil) }
    }

    @Test func `an answer that only drips is waited for`() throws {
        let start = ContinuousClock.now
        #expect(try ask(.get, "/drip", body: nil) == 200)
        #expect(.now - start > .seconds(3))
    }
}
