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

    @Test(arguments: [
        ("https://safe.example/c", "safe.example"), ("https://other.example:8443/", "other.example:8443"),
        ("http://safe.example:8443/c", "http://safe.example:8443"), ("//other.example/", "other.example"),
        ("https://safe.example:8443@other.example/", "other.example"),
        ("https://user@safe.example:8443/", "safe.example:8443"), ("ftp:x", "a ftp: address"), ("", "an empty address"),
        ("https://\u{212a}eytool.example/", "\u{212a}eytool.example"),
    ])
    func `to another server, or to none`(_ location: String, _ host: String) {
        let redirect = Redirect(to: location, from: Self.url)
        #expect(redirect.sameOrigin == nil)
        #expect(redirect.host == host)
    }

    @Test func `443 is the port that needs no saying`() {
        let redirect = Redirect(to: "https://safe.example:443/x", from: "https://safe.example/y")
        #expect(redirect.sameOrigin == "https://safe.example/x")
    }
}
