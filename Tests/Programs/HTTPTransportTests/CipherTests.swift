import HTTP
import HTTPTransport
import SecureMemory
import ServerKit
import Testing

/// Which ciphers of TLS 1.2 are accepted. The server's key is one for ECDSA.
@Suite struct CipherTests {
    private func status(of ciphers: String) throws -> Int {
        let server = try HTTPSServer(ciphers: ciphers)
        let url = Array(server.origin.utf8)
        return try CurlClient().send(
            HTTPRequest(.get, "/counts", limit: 100),
            to: HTTPEndpoint(url: SecureBytes(copying: url.span), authority: server.authority), progress: nil
        ).status
    }

    @Test(arguments: [
        "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305",
    ])
    func `forward secrecy with an AEAD`(_ cipher: String) throws { #expect(try status(of: cipher) == 200) }

    @Test(arguments: ["ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384"])
    func `no AEAD`(_ cipher: String) throws {
        #expect(throws: HTTPError.certificate(.noForwardSecrecy)) { try status(of: cipher) }
    }
}
