internal import Encodings
public import Ratchet
public import SecureMemory

/// The password of an account, as the server has it. Clients made it of random bytes in hexadecimal or Base64; it is
/// kept as it was used.
public struct AccountPassword: Sendable {
    /// Shortest and longest, in bytes.
    public static let counts = 1...256
    private static let randomCount = 16

    /// The text, UTF-8. It may have colons: only the first one in the credentials separates.
    public let held: HeldKey

    /// A new password: 16 random bytes as 32 digits of lower-case hexadecimal.
    public init() {
        let random = Random.secret(Self.randomCount)
        var text = SecureBuffer(capacity: 2 * Self.randomCount)
        random.withBytes { Hex.encode($0, appendingTo: &text) }
        held = HeldKey(text.finish())
    }

    /// - Returns: nil for a text that is empty, longer than 256 bytes, not UTF-8, or with control
    ///   characters.
    public init?(_ text: consuming SecureBytes) {
        let isValid = text.withBytes { text in
            Self.counts.contains(text.count) && Self.isPrintable(text)
        }
        guard isValid else { return nil }
        held = HeldKey(text)
    }

    /// Whether a text is UTF-8 without control characters. Of ASCII nothing more becomes known than that it is.
    private static func isPrintable(_ text: Span<UInt8>) -> Bool {
        var (controls, others) = (UInt32(0), UInt32(0))
        for index in text.indices {
            let byte = UInt32(text[index])
            controls |= ConstantTime.mask(byte, from: 0, through: 0x1f) | ConstantTime.mask(byte, equals: 0x7f)
            others |= byte & 0x80
        }
        guard !ConstantTime.reveal(controls) else { return false }
        return !ConstantTime.reveal(others) || (try? UTF8Span(validating: text)) != nil
    }
}
