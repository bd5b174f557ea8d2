import Testing

@testable import HTTPTransport

/// What libcurl's messages hold of OpenSSL's numbers, in its present wording and in others.
@Suite struct TLSErrorTests {
    @Test(arguments: [
        ("error:0A00010B:SSL routines::wrong version number", TLSError.notTLS),
        ("TLS connect error: error:0A0000C6:SSL routines::packet length too long", .notTLS),
        ("error:0A000126:SSL routines::unexpected eof while reading", .unexpectedEnd),
        ("error:0A00042E:SSL routines::tlsv1 alert protocol version", .other), ("error:0A000102:", .other),
    ])
    func `an error of TLS`(_ message: String, _ error: TLSError) { #expect(TLSError(message) == error) }

    @Test(arguments: [
        "", "OpenSSL SSL_connect: Connection reset by peer in connection to localhost:1", "error:", "error:00000000:x",
        "error:8000006F:system library::Connection refused", "error:0A00", "error:wrong version number",
    ])
    func `none`(_ message: String) { #expect(TLSError(message) == nil) }
}
