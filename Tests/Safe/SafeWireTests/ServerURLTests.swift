import SafeWire
import SecureMemory
import Testing

/// Addresses that hold a login.
@Suite struct ServerURLTests {
    private func server(_ url: String) throws(SafeServerAddressError) -> SafeEndpoint {
        let bytes = Array(url.utf8)
        return try SafeEndpoint(url: SecureBytes(copying: bytes.span))
    }

    private static let logins: [(url: String, user: String, password: String)] = [
        ("https://anna:hunter2@dav.example/safe", "anna", "hunter2"),
        ("HTTPS://anna:hunter2@dav.example/safe/", "anna", "hunter2"),
        ("https://an%20na:h%75nter%32@dav.example/safe", "an na", "hunter2"),
        ("https://anna:a:b@dav.example/safe", "anna", "a:b"),
        ("https://anna:a@b@dav.example/safe", "anna", "a@b"),
        ("https://anna:%C3%A4%40%2f@dav.example/safe", "anna", "ä@/"),
    ]

    @Test(arguments: logins) func `user and password`(_ login: (url: String, user: String, password: String)) throws {
        let server = try server(login.url)
        #expect(server.address.text == "https://dav.example/safe/")
        switch server.login {
        case .none: Issue.record("no login")
        case .some(let found):
            #expect(found.user == login.user)
            let password = found.password.withBytes { bytes in bytes.indices.map { bytes[$0] } }
            #expect(password == Array(login.password.utf8))
        }
    }

    @Test(arguments: ["https://dav.example/a%40b:c", "file:///anna:x@y", "threema"])
    func `no login`(_ url: String) throws {
        let server = try server(url)
        #expect(server.address == (try SafeServerAddress(parsing: url)))
        let hasLogin = server.login != nil
        #expect(!hasLogin)
    }

    private static let refused = [
        "https://anna@dav.example/", "https://anna:@dav.example/", "https://:x@dav.example/",
        "https://a%3ab:x@dav.example/", "https://a:x%@dav.example/", "https://a:x%4@dav.example/",
        "https://a:x%00@dav.example/", "https://a:x%+1@dav.example/", "https://a:x@", "https://a:x@/", "https://@",
        "https://a:5/x@dav.example/", "https://dav.example/a@b", "https://a:x@dav.example/a@b",
        "https://a:x@dav.example:0/", "http://a:x@dav.example/", "", "https://",
    ]

    @Test(arguments: refused) func `what is no address`(_ url: String) {
        #expect(throws: SafeServerAddressError.self) { _ = try self.server(url) }
    }
}
