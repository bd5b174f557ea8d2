internal import Encodings
internal import HTTP
public import SecureMemory

extension SafeEndpoint {
    /// A server by an address that holds its login: `https://USER:PASSWORD@HOST[:PORT]/PATH`, percent signs in both as
    /// URLs have them. Such an address is a secret. Any other one is taken as it is, without a login.
    /// - Throws: `SafeServerAddressError`, which repeats nothing of it.
    public init(url: borrowing SecureBytes) throws(SafeServerAddressError) {
        guard let parts = url.withBytes(LoginInURL.init) else {
            // A login in a place that was not understood must not become text.
            guard !url.withBytes(LoginInURL.mayBe) else { throw .hasCredentials }
            self.init(try SafeServerAddress(parsing: url.withBytes { Self.text($0) }))
            return
        }
        let address = try SafeServerAddress(
            parsing: LoginInURL.scheme + url.withBytes { Self.text($0.extracting(parts.end...)) })
        let user = try Self.decoded(url, parts.user).withBytes { Self.text($0) }
        let password = try Self.decoded(url, parts.password)
        guard Login.isUser(user), (1...Login.maxPasswordBytes).contains(password.count) else { throw .badURL }
        self.init(address, login: Login(user: user, password: password), authority: nil, pins: [])
    }

    private static func text(_ bytes: Span<UInt8>) -> String {
        bytes.revealText()
    }

    private static func decoded(
        _ url: borrowing SecureBytes, _ range: Range<Int>
    ) throws(SafeServerAddressError) -> SecureBytes {
        try url.withBytes { bytes throws(SafeServerAddressError) in
            var decoded = SecureBuffer(capacity: range.count)
            var index = range.lowerBound
            while index < range.upperBound {
                var byte = bytes[index]
                index += 1
                if byte == UInt8(ascii: "%") {
                    guard index + 2 <= range.upperBound, let high = Hex.value(bytes[index]),
                        let low = Hex.value(bytes[index + 1]), high | low != 0
                    else { throw .badURL }
                    byte = high << 4 | low
                    index += 2
                }
                decoded.append(byte)
            }
            return decoded.finish()
        }
    }
}

/// Where user and password stand in an address.
private struct LoginInURL {
    static let scheme = "https://"
    let user: Range<Int>
    let password: Range<Int>
    /// Behind the `@`.
    let end: Int

    /// Whether there may be one in what is no `https://USER:PASSWORD@…`: an @ in anything but a directory's path.
    static func mayBe(_ bytes: Span<UInt8>) -> Bool {
        let directory = Array("file:///".utf8)
        let isDirectory =
            bytes.count >= directory.count && directory.indices.allSatisfy { bytes[$0] | 0x20 == directory[$0] | 0x20 }
        return !isDirectory && bytes.indices.contains { bytes[$0] == UInt8(ascii: "@") }
    }

    /// Nil where there is none.
    init?(_ bytes: Span<UInt8>) {
        let scheme = Array(Self.scheme.utf8)
        guard bytes.count > scheme.count,
            scheme.indices.allSatisfy({ bytes[$0] | 0x20 == scheme[$0] | 0x20 })
        else { return nil }
        var colon: Int?
        var at: Int?
        for index in scheme.count..<bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "/") { break }
            if byte == UInt8(ascii: ":"), colon == nil { colon = index }
            // The last one, as in browsers: an address typed with a bare @ in the password still works.
            if byte == UInt8(ascii: "@") { at = index }
        }
        guard let at else { return nil }
        let middle = min(colon ?? at, at)
        user = scheme.count..<middle
        password = min(middle + 1, at)..<at
        end = at + 1
    }
}
