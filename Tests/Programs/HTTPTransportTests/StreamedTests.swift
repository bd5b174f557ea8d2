import HTTP
import HTTPTransport
import SecureMemory
import ServerKit
import Synchronization
import Testing

/// Bodies that are read and written piece by piece.
@Suite struct StreamedTests {
    private let server: HTTPSServer
    private let client = CurlClient()
    private let content: [UInt8]

    init() throws {
        server = try HTTPSServer()
        content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 7) }
    }

    private func send(_ request: HTTPRequest) throws -> HTTPResponse {
        let url = Array(server.origin.utf8)
        let endpoint = HTTPEndpoint(url: SecureBytes(copying: url.span), authority: server.authority)
        return try client.send(request, to: endpoint, progress: nil)
    }

    /// Gives the content in pieces of at most so many bytes.
    private func upload(step: Int = .max, until end: Int = .max) -> HTTPUpload {
        HTTPUpload(count: content.count) { [content] offset, buffer in
            guard offset < end else { return nil }
            let count = min(step, buffer.count, content.count - offset)
            for place in 0..<count { buffer[place] = content[offset + place] }
            return count
        }
    }

    @Test(arguments: [Int.max, 1000]) func `a body goes there and back, and never as a whole`(_ step: Int) throws {
        let got = Mutex((bytes: [UInt8](), longest: 0))
        let request = HTTPRequest(
            .post, "/echo", limit: 4_000_000, upload: upload(step: step).between([1, 2], [3]),
            download: { piece in
                got.withLock { got in
                    for place in piece.indices { got.bytes.append(piece[place]) }
                    got.longest = max(got.longest, piece.count)
                }
                return true
            })
        #expect(try send(request).body == [])
        let (bytes, longest) = got.withLock(\.self)
        #expect(bytes.suffix(content.count + 3) == ([1, 2] + content + [3])[...])
        #expect(bytes.starts(with: Array("POST ".utf8)) && longest <= 65_536)
    }

    @Test func `a body that cannot be read ends the request`() throws {
        #expect(throws: HTTPError.connection(.brokenOff)) {
            try send(HTTPRequest(.post, "/echo", limit: 100, upload: upload(until: 100_000)))
        }
    }

    @Test func `an answer that cannot be written, or is too long, ends the request`() throws {
        #expect(throws: HTTPError.connection(.brokenOff)) {
            try send(HTTPRequest(.get, "/counts", limit: 100, download: { _ in false }))
        }
        #expect(throws: HTTPError.bodyTooLong) {
            try send(HTTPRequest(.post, "/echo", limit: 100_000, upload: upload(), download: { _ in true }))
        }
    }

    @Test func `what is no success is in the response`() throws {
        let response = try send(HTTPRequest(.get, "/safe/x", limit: 100, download: { _ in false }))
        #expect(response.status == 401)
    }
}
