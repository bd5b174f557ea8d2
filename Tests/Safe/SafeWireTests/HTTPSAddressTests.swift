import SafeWire
import Testing

/// Which addresses lead to a server over HTTPS.
@Suite struct HTTPSAddressTests {
    private static let accepted = [
        ("https://safe.example.net", "https://safe.example.net/"),
        ("https://safe.example.net/", "https://safe.example.net/"),
        ("HTTPS://Safe.Example.NET/Dav", "https://safe.example.net/Dav/"),
        ("https://safe.example.net//dav///x", "https://safe.example.net/dav/x/"),
        ("https://safe.example.net:443/dav", "https://safe.example.net/dav/"),
        ("https://safe.example.net:8443/dav", "https://safe.example.net:8443/dav/"),
        ("https://safe.example.net:/dav", "https://safe.example.net/dav/"),
        ("https://127.0.0.1:1/", "https://127.0.0.1:1/"),
        ("https://[2001:db8::1]/dav", "https://[2001:db8::1]/dav/"),
        ("https://[2001:DB8::1]:8443", "https://[2001:db8::1]:8443/"),
        ("https://safe.example.net/a%20b", "https://safe.example.net/a%20b/"),
        ("https://safe.example.net/%64av/%7euser/%41", "https://safe.example.net/dav/~user/A/"),
        ("https://safe.example.net/a%2fb%c3%a4", "https://safe.example.net/a%2Fb%C3%A4/"),
        ("https://safe.example.net/%2/%/%zz", "https://safe.example.net/%252/%25/%25zz/"),
        ("https://safe.example.net/%3%301", "https://safe.example.net/%25301/"),
        ("https://safe-{backupIdPrefix8}.example.net", "https://safe-{backupIdPrefix8}.example.net/"),
        ("threema", "https://safe-{backupIdPrefix8}.threema.ch/"),
    ]

    @Test(arguments: accepted) func `an address has one spelling`(_ text: String, _ normal: String) throws {
        let address = try SafeServerAddress(parsing: text)
        #expect(address.text == normal)
        #expect(try SafeServerAddress(parsing: normal) == address)
    }

    private static let refused: [(String, SafeServerAddressError)] = [
        ("https:", .badURL), ("https://", .badURL), ("https:///x", .badURL), ("https:safe.example.net", .badURL),
        ("https://safe.example.net:0", .badURL), ("https://safe.example.net:65536", .badURL),
        ("https://safe.example.net:+1", .badURL), ("https://safe.example.net:x", .badURL), ("https://:8443", .badURL),
        // They would be read again as another host, or not at all.
        ("https://safe.example.net:8443:", .badURL), ("https://safe-%h:rt.hees://safe-%h.thrma.ch", .badURL),
        ("https://safe.example.net/?a=b", .badURL), ("https://safe.example.net/#a", .badURL),
        ("https://safe.example.net/../x", .badURL), ("https://safe.example.net/./x", .badURL),
        ("https://safe.example.net/%2e%2e/x", .badURL), ("https://safe.example.net/a/.%2E", .badURL),
        ("https://safe.example.net/%2E/x", .badURL),
        ("https://safe.example.net/a b", .badURL), ("https://safe.example.net/\u{e4}", .badURL),
        ("https://safe.example.net/\n", .badURL), ("https://safe\u{0}.example.net", .badURL),
        ("https://safe.example.net\\@evil.example", .badURL),
        ("https://user:password@safe.example.net/", .hasCredentials),
        ("https://user@safe.example.net", .hasCredentials), ("https://@safe.example.net", .hasCredentials),
    ]

    @Test(arguments: refused) func `anything else is refused`(_ text: String, _ error: SafeServerAddressError) {
        #expect(throws: error) { try SafeServerAddress(parsing: text) }
    }

    @Test func `the first byte of the backup id stands where it is asked for`() throws {
        let bytes = (0..<32).map { UInt8($0) + 6 }
        let id = BackupID(bytes.span)
        guard case .https(let official) = SafeServerAddress.official else {
            Issue.record("the official servers are reached over HTTPS")
            return
        }
        #expect(official.base(for: id) == "https://safe-06.threema.ch/")
        guard case .https(let own) = try SafeServerAddress(parsing: "https://h/{backupIdPrefix8}/x") else { return }
        #expect(own.base(for: id) == "https://h/06/x/")
    }
}
