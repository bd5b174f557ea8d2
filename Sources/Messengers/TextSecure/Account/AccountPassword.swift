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
            Self.counts.contains(text.count) && text.indices.allSatisfy { text[$0] >= 0x20 && text[$0] != 0x7f }
                && (try? UTF8Span(validating: text)) != nil
        }
        guard isValid else { return nil }
        held = HeldKey(text)
    }
}
