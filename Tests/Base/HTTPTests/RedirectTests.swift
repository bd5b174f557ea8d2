import HTTP
import Testing

/// Where a redirect leads: the header is a stranger's text.
@Suite struct RedirectTests {
    private static let url = "https://safe.example:8443/a/config?x=1"

    @Test(arguments: [
        ("/b/config", "https://safe.example:8443/b/config"),
        ("config2", "https://safe.example:8443/a/config2"),
        ("?y", "https://safe.example:8443/a/config?y"),
        ("https://safe.example:8443/c", "https://safe.example:8443/c"),
        ("HTTPS://SAFE.example:8443/c", "https://safe.example:8443/c"),
        ("//safe.example:8443/d", "https://safe.example:8443/d"),
    ])
    func `on the same server`(_ location: String, _ next: String) {
        #expect(Redirect(to: location, from: Self.url).sameOrigin == next)
    }

    private static let elsewhere: [(String, RedirectTarget)] = [
        ("https://safe.example/c", .host("safe.example")),
        ("https://other.example:8443/", .host("other.example:8443")),
        ("http://safe.example:8443/c", .host("http://safe.example:8443")),
        ("//other.example/", .host("other.example")),
        ("https://safe.example:8443@other.example/", .host("other.example")),
        ("https://user@safe.example:8443/", .host("safe.example:8443")),
        ("ftp:x", .scheme("ftp")),
        ("https:x", .scheme("https")),
        ("", .empty),
        ("https://\u{212a}eytool.example/", .host("\u{212a}eytool.example")),
    ]

    @Test(arguments: elsewhere)
    func `to another server, or to none`(_ location: String, _ target: RedirectTarget) {
        let redirect = Redirect(to: location, from: Self.url)
        #expect(redirect.sameOrigin == nil)
        #expect(redirect.target == target)
    }

    @Test func `443 is the port that needs no saying`() {
        let redirect = Redirect(to: "https://safe.example:443/x", from: "https://safe.example/y")
        #expect(redirect.sameOrigin == "https://safe.example/x")
    }
}
