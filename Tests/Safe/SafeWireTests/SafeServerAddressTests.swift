import SafeWire
import Testing

/// Which addresses lead to a directory.
@Suite struct SafeServerAddressTests {
    @Test(arguments: [
        ("file:///srv/safe", "/srv/safe"),
        ("file:///srv/safe/", "/srv/safe"),
        ("file:///srv//./safe//", "/srv/safe"),
        ("file:////srv/safe", "/srv/safe"),
        ("file:/srv/safe", "/srv/safe"),
        ("FILE:///srv/safe", "/srv/safe"),
        ("File://localhost/srv/safe", "/srv/safe"),
        ("file:///", "/"),
        ("file:///a%20b", "/a b"),
        ("file:///a b", "/a b"),
        ("file:///%C3%A4/ä", "/ä/ä"),
        ("file:///a%2fb", "/a/b"),
        ("file:///100%25", "/100%"),
        ("file:///a..b/...", "/a..b/..."),
        ("file:///a:b@c", "/a:b@c"),
        ("file:///a?b#c", "/a?b#c"),
        ("file:///a%0Ab", "/a\nb"),
    ]) func `a directory's address is accepted`(_ text: String, _ directory: String) throws {
        let address = try SafeServerAddress(parsing: text)
        #expect(address == .directory(directory))
        #expect(address.host == "localhost")
    }

    @Test(arguments: [
        ("http://safe.example.net", SafeServerAddressError.unknownScheme),
        ("ftp://x/y", .unknownScheme),
        ("", .unknownScheme),
        ("/srv/safe", .unknownScheme),
        ("srv/safe", .unknownScheme),
        ("safe.example.net", .unknownScheme),
        ("://x", .unknownScheme),
        (":", .unknownScheme),
        (" file:///srv", .unknownScheme),
        ("file ://srv", .unknownScheme),
        ("files:///srv", .unknownScheme),
        ("file://server/share", .remoteHost),
        ("file://127.0.0.1/srv", .remoteHost),
        ("file://localhost.example.net/srv", .remoteHost),
        ("file://localhost", .remoteHost),
        ("file://", .remoteHost),
        ("file://~/safe", .remoteHost),
        ("file://.", .remoteHost),
        ("file:", .badPath),
        ("file:srv/safe", .badPath),
        ("file:./safe", .badPath),
        ("file:///srv/../etc", .badPath),
        ("file:///..", .badPath),
        ("file:///srv/..", .badPath),
        ("file:///srv/%2e%2e/etc", .badPath),
        ("file:///srv/.%2E", .badPath),
        ("file:///a%2f..%2fb", .badPath),
        // A slash stays one under a combining mark.
        ("file:///a/..%2F\u{301}b", .badPath),
        ("file:///a/\u{301}b/..", .badPath),
        ("file:///a%2F%CC%81/%2e.", .badPath),
        ("file:///a%00b", .badPath),
        ("file:///a\0b", .badPath),
        ("file:///a%-0b", .badPath),
        ("file:///a%", .badPath),
        ("file:///a%2", .badPath),
        ("file:///a%zz", .badPath),
        ("file:///a%+1", .badPath),
        ("file:///a% 1", .badPath),
        ("file:///a%ff", .badPath),
        ("file:///a%c0%af", .badPath),
        ("file:///%ed%a0%80", .badPath),
    ]) func `anything else is refused`(_ text: String, _ error: SafeServerAddressError) {
        #expect(throws: error) { try SafeServerAddress(parsing: text) }
    }

    @Test(arguments: [
        ("file:///srv/safe/", "file:///srv/safe"),
        ("file:/a b", "file:///a%20b"),
        ("file:///ä", "file:///%C3%A4"),
        ("file:///%7e~", "file:///~~"),
        ("file:///100%25", "file:///100%25"),
        ("file:///a?b#c%0A", "file:///a%3Fb%23c%0A"),
        ("file:///", "file:///"),
        ("file:///%2F%2e/srv%2f%2F./safe%2f", "file:///srv/safe"),
        ("file:///srv//\u{301}safe/", "file:///srv/%CC%81safe"),
    ]) func `an address has one spelling`(_ text: String, _ spelling: String) throws {
        let address = try SafeServerAddress(parsing: text)
        #expect(address.text == spelling)
        let again = try SafeServerAddress(parsing: address.text)
        #expect(again == address)
    }

    @Test func `names that only look alike are two places`() throws {
        let composed = try SafeServerAddress(parsing: "file:///%C3%A4")
        let decomposed = try SafeServerAddress(parsing: "file:///a%CC%88")
        #expect(composed != decomposed)
    }

    @Test func `every path comes back from its address`() throws {
        var generator = SystemRandomNumberGenerator()
        let characters = Array("aZ09/ .%+-_~?#:@&='\"\\\n\t\u{7f}äß€🔑e\u{301}\u{feff}")
        var accepted = 0
        for _ in 0..<2000 {
            let count = Int.random(in: 1...20, using: &generator)
            let name = String((0..<count).map { _ in characters.randomElement(using: &generator)! })
            let text = name.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            guard let address = try? SafeServerAddress(parsing: "file:///" + text) else { continue }
            accepted += 1
            let again = try SafeServerAddress(parsing: address.text)
            #expect(again == address, "\(address.text)")
            let isPlain = address.text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
            #expect(isPlain, "\(address.text)")
        }
        #expect(accepted > 1500)
    }
}
