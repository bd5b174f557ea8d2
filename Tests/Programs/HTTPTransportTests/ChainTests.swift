import HTTP
import HTTPTransport
import SecureMemory
import ServerKit
import Testing

/// The certificates that a server sends, whether or not anything is trusted.
@Suite struct ChainTests {
    private let client = CurlClient()

    private func endpoint(_ server: HTTPSServer, pins: [PublicKeyPin] = []) -> HTTPEndpoint {
        let url = Array(server.origin.utf8)
        return HTTPEndpoint(url: SecureBytes(copying: url.span), pins: pins)
    }

    /// A certificate without line ends.
    private func line(_ pem: [UInt8]) -> String {
        String(decoding: pem.filter { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    @Test func `its own first, then the others`() throws {
        let other = try HTTPSServer()
        let server = try HTTPSServer(sendingAlso: other.authority)
        let chain = try client.chain(of: endpoint(server), within: HTTPTimeouts())
        #expect(chain.map { line($0.pem) } == [line(server.authority), line(other.authority)])
        #expect(Set(chain.map(\.fingerprint)).count == 2)
        let shown = try client.certificate(of: endpoint(server), isExamined: false, within: HTTPTimeouts())
        #expect(shown == chain[0])
    }

    @Test func `what is trusted does not matter`() throws {
        let server = try HTTPSServer()
        let pin = try #require(PublicKeyPin(digest: [UInt8](repeating: 1, count: 32)))
        #expect(try client.chain(of: endpoint(server, pins: [pin]), within: HTTPTimeouts()).count == 1)
    }

    @Test func `a certificate that has issued nothing here opens nothing`() throws {
        let other = try HTTPSServer()
        let server = try HTTPSServer(sendingAlso: other.authority)
        let url = Array(server.origin.utf8)
        let chain = try client.chain(of: endpoint(server), within: HTTPTimeouts())
        for (certificate, isTrusted) in zip(chain, [true, false]) {
            let answer = try? client.send(
                HTTPRequest(.get, "/counts", limit: 100),
                to: HTTPEndpoint(url: SecureBytes(copying: url.span), authority: certificate.pem), progress: nil)
            #expect((answer?.status == 200) == isTrusted)
        }
    }

    @Test func `why there is none`() throws {
        let server = try HTTPSServer()
        try server.takeAway()
        #expect(throws: HTTPError.connection(.notConnected)) {
            try client.chain(of: endpoint(server), within: HTTPTimeouts())
        }
        let weak = try HTTPSServer(ciphers: "ECDHE-ECDSA-AES128-SHA")
        #expect(throws: HTTPError.certificate(.noForwardSecrecy)) {
            try client.chain(of: endpoint(weak), within: HTTPTimeouts())
        }
    }
}
