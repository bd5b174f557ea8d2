internal import Encodings
internal import HTTP
public import SecureMemory

extension SafeEndpoint {
    /// Parses an address that may contain a login: `https://USER:PASSWORD@HOST[:PORT]/PATH`, with percent-encoding in
    /// both. Such an address is a secret.
    /// - Throws: `SafeServerAddressError`, which contains nothing of `url`.
    public init(url: borrowing SecureBytes) throws(SafeServerAddressError) {
        guard let parts = url.withBytes(LoginInURL.init) else {
            // A login that was not recognised must not become a `String`.
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

/// The places of user and password in an address.
private struct LoginInURL {
    static let scheme = "https://"
    let user: Range<Int>
    let password: Range<Int>
    /// Behind the `@`.
    let end: Int

    /// Whether an address of another form may contain a login: it has an @ and is not the path of a directory.
    static func mayBe(_ bytes: Span<UInt8>) -> Bool {
        let directory = Array("file:///".utf8)
        let isDirectory =
            bytes.count >= directory.count && directory.indices.allSatisfy { bytes[$0] | 0x20 == directory[$0] | 0x20 }
        return !isDirectory && bytes.indices.contains { bytes[$0] == UInt8(ascii: "@") }
    }

    /// Nil for an address without a login.
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
            // The last @, as in browsers, so that a password may contain one.
            if byte == UInt8(ascii: "@") { at = index }
        }
        guard let at else { return nil }
        let middle = min(colon ?? at, at)
        user = scheme.count..<middle
        password = min(middle + 1, at)..<at
        end = at + 1
    }
}
