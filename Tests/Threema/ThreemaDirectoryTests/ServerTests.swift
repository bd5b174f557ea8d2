import HTTP
import Testing
import VectorKit

@testable import ThreemaDirectory

@Suite struct ServerTests {
    private let pin = PublicKeyPin(digest: [UInt8](repeating: 7, count: 32))!

    @Test(arguments: [
        ("https://a.example", "https://a.example/"), ("HTTPS://A.Example:443/x", "https://a.example/x/"),
        ("https://a.example:8443/x/", "https://a.example:8443/x/"), ("https://[::1]:1/", "https://[::1]:1/"),
    ])
    func `a URL in its one form`(_ url: String, _ normal: String) throws {
        #expect(try DirectoryServer(url: url).url == normal)
    }

    @Test(arguments: [
        "", "http://a.example/", "a.example", "https://", "https:///x", "https://a.example/?q", "https://a.example/#f",
        "https://a.example/x y", "https://a.example/../x", "https://a.example:0/", "https://a.example:99999/",
        "https://ä.example/", "https://a.example/\u{7f}",
    ])
    func `what is no URL of a directory`(_ url: String) {
        #expect(throws: DirectoryServerError.badURL) { try DirectoryServer(url: url) }
    }

    @Test func `no login in the URL, and limits`() {
        #expect(throws: DirectoryServerError.hasCredentials) { try DirectoryServer(url: "https://u:p@a.example/") }
        let long = "https://a.example/" + String(repeating: "x", count: 4096)
        #expect(throws: DirectoryServerError.tooMuch) { try DirectoryServer(url: long) }
        let pins = [PublicKeyPin](repeating: pin, count: 17)
        #expect(throws: DirectoryServerError.tooMuch) { try DirectoryServer(url: "https://a.example/", pins: pins) }
        let authority = [UInt8](repeating: 0, count: 48 * 1024 + 1)
        #expect(throws: DirectoryServerError.tooMuch) {
            try DirectoryServer(url: "https://a.example/", authority: authority)
        }
    }

    @Test func `what is remembered is the same again`() throws {
        for server in [
            try DirectoryServer(url: "https://a.example/x"),
            try DirectoryServer(url: "https://a.example/x", authority: [1, 2, 3]),
            try DirectoryServer(url: "https://a.example/x", authority: [], pins: [pin, pin]),
        ] {
            #expect(try DirectoryServer(decoding: server.encoded.span) == server)
            let endpoint = server.endpoint()
            #expect(endpoint.pins == server.pins && endpoint.authority == server.authority)
            #expect(endpoint.url(of: "identity/create")?.copied == Array((server.url + "identity/create\0").utf8))
        }
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"url":1}"#, #"{"url":"https://a.example"}"#, #"{"url":"https://a.example/","pins":[]}"#,
        #"{"url":"https://a.example/","pins":["x"]}"#, #"{"url":"https://a.example/","authority":1}"#,
        #"{"url":"https://a.example/","authority":"?"}"#,
    ])
    func `what was not remembered by us`(_ text: String) {
        #expect(throws: DirectoryServerError.notEncoded) { try DirectoryServer(decoding: Array(text.utf8).span) }
    }
}
