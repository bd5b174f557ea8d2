import CCurl
import Testing

@testable import Transports

/// How long a request waits while nothing goes or comes.
@Suite struct IdleTests {
    private let server: HTTPSServer

    init() throws { server = try HTTPSServer() }

    private func ask(
        _ method: CurlRequest.Method, _ path: String, body: [UInt8]?
    ) throws -> (code: CURLcode, took: Duration) {
        let patience = CurlRequest.Patience(idle: .seconds(2), total: .seconds(30))
        var request = try CurlRequest(method, server.origin + path, patience: patience, limit: 100)
        request.trust(server.ownAuthority)
        if let body { request.send(body) }
        let start = ContinuousClock.now
        let code = request.perform(headers: ["Expect:"]).code
        return (code, .now - start)
    }

    @Test(arguments: ["/stall", "/stall/unread"]) func `a PUT that stalls ends in time`(_ path: String) throws {
        let (code, took) = try ask(.put, path, body: [UInt8](repeating: 7, count: 8_000_000))
        #expect(code == CURLE_OPERATION_TIMEDOUT)
        #expect((.seconds(2)...(.seconds(5))).contains(took), "\(took)")
    }

    @Test func `a GET that stalls ends in time`() throws {
        let (code, took) = try ask(.get, "/stall", body: nil)
        #expect(code == CURLE_OPERATION_TIMEDOUT)
        #expect((.seconds(2)...(.seconds(5))).contains(took), "\(took)")
    }

    @Test func `an answer that only drips is waited for`() throws {
        let (code, took) = try ask(.get, "/drip", body: nil)
        #expect(code == CURLE_OK)
        #expect(took > .seconds(3), "\(took)")
    }
}
