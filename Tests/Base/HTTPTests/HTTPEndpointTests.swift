import HTTP
import SecureMemory
import Testing

@Suite struct HTTPEndpointTests {
    private func endpoint(_ url: String, password: String? = nil, authority: [UInt8]? = nil) -> HTTPEndpoint {
        let bytes = Array(url.utf8)
        let login = password.map { text in
            let bytes = Array(text.utf8)
            return Login(user: "anna", password: SecureBytes(copying: bytes.span))
        }
        return HTTPEndpoint(url: SecureBytes(copying: bytes.span), login: login, authority: authority)
    }

    private func url(_ base: String, _ path: String) -> String? {
        switch endpoint(base).url(of: path) {
        case .some(let url): url.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
        case .none: nil
        }
    }

    @Test(arguments: [
        ("https://a/safe/", "config", "https://a/safe/config"), ("https://a/ping", "", "https://a/ping"),
        ("https://a/safe/", "https://a/other", "https://a/other"), ("https://a:1", "https://a:1?q", "https://a:1?q"),
        ("https://a/safe/", "https://a", "https://a"),
    ])
    func `a path goes behind the URL, and a whole URL replaces it`(_ base: String, _ path: String, _ whole: String) {
        #expect(url(base, path) == whole + "\0")
    }

    @Test(arguments: [
        "https://b/x", "https://ab/x", "https://a:1/x", "https://a@b/x", "https://", "a\0b", "https://a\0",
    ])
    func `no login is sent elsewhere`(_ path: String) { #expect(url("https://a/safe/", path) == nil) }

    @Test func `only what is alike in all may share a connection`() {
        let isAlike = endpoint("https://a/", password: "x").isSame(as: endpoint("https://a/", password: "x"))
        #expect(isAlike)
        for other: (String, String?, [UInt8]?) in [
            ("https://b/", "x", nil), ("https://a/", "y", nil), ("https://a/", nil, nil), ("https://a/", "x", [1]),
        ] {
            let same = endpoint("https://a/", password: "x")
                .isSame(as: endpoint(other.0, password: other.1, authority: other.2))
            #expect(!same)
        }
    }
}
