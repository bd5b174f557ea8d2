import HTTP
import Testing

@Suite struct HTTPOriginTests {
    @Test(
        arguments: [
            ("https://Safe.Example/x", "safe.example", nil), ("HTTPS://a:443", "a", nil), ("https://a:", "a", nil),
            ("https://a:8443?q", "a", 8443), ("https://[2001:DB8::1]:1/", "[2001:db8::1]", 1),
            ("https://[::1]", "[::1]", nil), ("https://safe-{x}.example/", "safe-{x}.example", nil),
        ] as [(String, String, UInt16?)])
    func `host and port`(_ url: String, _ host: String, _ port: UInt16?) throws {
        let origin = try #require(HTTPOrigin(url: url))
        #expect(origin.host == host && origin.port == port)
    }

    @Test(arguments: [
        "", "https", "https:", "https:a", "https://", "https:///x", "https://:1/", "http://a/", "https://a:0/",
        "https://a:65536/", "https://a:+1/", "https://a:x/", "https://user@a/", "https://a b/", "https://a\u{0}/",
        "https://\u{212a}/",
    ])
    func `nothing else`(_ url: String) { #expect(HTTPOrigin(url: url) == nil) }

    @Test(arguments: [
        "https://a:8443:", "https://a:b:", "https://::1", "https://2001:db8::1:443", "https://a[::1]",
        "https://[::1]a:1", "https://[[::1]]", "https://[a", "https://[]", "https://[", "https://]:1",
    ])
    func `a host has no colon and no bracket, except an IPv6 address`(_ url: String) {
        #expect(HTTPOrigin(url: url) == nil)
    }
}
