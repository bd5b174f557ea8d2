internal import Primitives
internal import SecureMemory

/// The key derivation of PKCS#12 (RFC 7292, appendix B.2) with SHA-1, for up to 20 bytes: one digest.
enum PKCS12KDF {
    /// What the bytes are for (B.3).
    enum Purpose: UInt8 {
        case key = 1
        case iv = 2
    }

    /// SHA-1's block.
    private static let blockCount = 64

    /// - Parameters:
    ///   - password: from `bmpString`.
    ///   - salt: 1 byte or more.
    ///   - rounds: 1 or more.
    ///   - count: 1 to 20 bytes.
    static func derive(
        _ purpose: Purpose, password: borrowing SecureBytes, salt: [UInt8], rounds: Int, count: Int
    ) -> SecureBytes {
        precondition(!salt.isEmpty && rounds > 0 && (1...Legacy.SHA1.count).contains(count))
        // D ‖ S ‖ P: the purpose, and salt and password repeated up to whole blocks.
        let saltCount = wholeBlocks(salt.count)
        let passwordCount = wholeBlocks(password.count)
        var input = SecureBuffer(capacity: blockCount + saltCount + passwordCount)
        for _ in 0..<blockCount { input.append(purpose.rawValue) }
        for index in 0..<saltCount { input.append(salt[index % salt.count]) }
        password.withBytes { password in
            for index in 0..<passwordCount { input.append(password[index % password.count]) }
        }
        var digest = input.finish().withBytes { Legacy.SHA1.derive($0) }
        for _ in 1..<rounds { digest = digest.withBytes { Legacy.SHA1.derive($0) } }
        return digest.withBytes { SecureBytes(copying: $0.extracting(0..<count)) }
    }

    /// The password as PKCS#12 takes it: UTF-16, big endian, and two zeros.
    /// - Parameter text: UTF-8.
    /// - Returns: nil for bytes that are not UTF-8.
    static func bmpString(_ text: borrowing SecureBytes) -> SecureBytes? {
        text.withBytes { text in
            guard (try? UTF8Span(validating: text)) != nil else { return nil }
            var units = SecureBuffer(capacity: 2 * text.count + 2)
            var position = 0
            while position < text.count {
                let scalar = scalar(text, at: &position)
                let codes: [UInt32] =
                    scalar < 0x10000
                    ? [scalar] : [0xd800 + (scalar - 0x10000) >> 10, 0xdc00 + (scalar - 0x10000) & 0x3ff]
                for code in codes {
                    units.append(UInt8(code >> 8))
                    units.append(UInt8(truncatingIfNeeded: code))
                }
            }
            units.append(0)
            units.append(0)
            return units.finish()
        }
    }

    /// Reads one code point of valid UTF-8: a `String` of a password would not be in guarded memory.
    private static func scalar(_ text: Span<UInt8>, at position: inout Int) -> UInt32 {
        let first = text[position]
        let following = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3
        var scalar = UInt32(following == 0 ? first : first & 0x3f >> UInt8(following))
        for index in 0..<following { scalar = scalar << 6 | UInt32(text[position + 1 + index] & 0x3f) }
        position += 1 + following
        return scalar
    }

    private static func wholeBlocks(_ count: Int) -> Int { (count + blockCount - 1) / blockCount * blockCount }
}
