internal import Encodings
internal import SecureMemory

/// The user name and the password of a request (Basic authentication, RFC 7617, with `charset="UTF-8"`).
struct BasicLogin: ~Copyable {
    /// Longest value of the header, in bytes.
    static let maxHeaderBytes = 8192

    /// As it was sent: it need not be a name of an account.
    let user: String
    /// As it was sent: nothing is normalised.
    let password: SecureBytes

    /// - Parameter values: those of the header `Authorization`.
    /// - Returns: nil if there is none, more than one, one of another scheme, or a malformed one.
    init?(_ values: [String]) {
        guard values.count == 1 else { return nil }
        let value = Array(values[0].utf8)
        let scheme = Array("basic ".utf8)
        guard value.count <= Self.maxHeaderBytes, value.prefix(scheme.count).map(Self.lowerCase) == scheme else {
            return nil
        }
        let token = Array(value.dropFirst(scheme.count).drop { $0 == UInt8(ascii: " ") })
        guard let pair = Base64.decode(token.span) else { return nil }
        var name: String?
        var colon = 0
        pair.withBytes { bytes in
            // To scrypt, a password with a NUL at its end is the same without it.
            guard !bytes.indices.contains(where: { bytes[$0] == 0 }),
                let end = bytes.indices.first(where: { bytes[$0] == UInt8(ascii: ":") })
            else { return }
            colon = end
            // What is not UTF-8 gets a replacement character, which no name of an account has.
            name = bytes.extracting(0..<end).revealText()
        }
        guard let name, pair.count - colon - 1 <= PasswordHash.maxPasswordBytes else { return nil }
        user = name
        password = pair.withBytes { SecureBytes(copying: $0.extracting(colon + 1..<$0.count)) }
    }

    private static func lowerCase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
