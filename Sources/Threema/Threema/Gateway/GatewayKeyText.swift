internal import Encodings
public import SecureMemory

// The private key of a Gateway ID as its programs keep it: a text of one line.
//
//   private:<64 hexadecimal digits>
//
// Written: lower case, one line break at the end, 73 bytes. Read: also capitals, one blank behind the colon, and blank
// lines before. `public:` stands before a public key. The text has neither an ID nor a checksum.

/// The text of a private key of a Gateway ID.
public enum GatewayKeyText {
    /// Longest text that is read, in bytes.
    public static let maxCount = 4096
    private static let digits = 2 * ClientKey.count
    private static let prefix = "private:"
    private static let publicPrefix = "public:"

    /// Whether a text begins as the key of a Gateway ID does, a private or a public one, also behind a byte order mark.
    public static func isLikely(_ text: Span<UInt8>) -> Bool {
        let text = text.extracting(text.byteOrderMarkCount..<text.count)
        let line = text.extracting(ASCII.trimmed(text))
        return begins(line, with: prefix) || begins(line, with: publicPrefix)
    }

    /// Reads a private key.
    /// - Parameter mayBeBare: whether the digits may stand alone.
    /// - Throws: `GatewayKeyError`.
    public static func decode(_ text: Span<UInt8>, mayBeBare: Bool) throws(GatewayKeyError) -> ClientKey {
        guard text.count <= maxCount else { throw .malformed }
        let all = text.extracting(ASCII.trimmed(text))
        guard !begins(all, with: publicPrefix) else { throw .isPublic }
        // Another line may be another key, and nobody knows which one is meant.
        var breaks: UInt32 = 0
        for index in all.indices {
            let character = UInt32(all[index])
            breaks |= ConstantTime.mask(character, equals: 0x0a) | ConstantTime.mask(character, equals: 0x0d)
        }
        guard !ConstantTime.reveal(breaks) else { throw .severalLines }
        var start = begins(all, with: prefix) ? prefix.utf8.count : 0
        guard start > 0 || mayBeBare else { throw .malformed }
        if start > 0, start < all.count, ASCII.isSame(all[start], " ") { start += 1 }
        guard all.count - start == digits, let bytes = Hex.decode(all.extracting(start..<all.count)) else {
            throw .malformed
        }
        guard bytes.withBytes({ !ConstantTime.isZero($0) }) else { throw .zeros }
        return ClientKey(bytes)
    }

    /// - Returns: 73 bytes, with a line break at the end.
    public static func encode(_ key: borrowing ClientKey) -> SecureBytes {
        var text = SecureBuffer(capacity: prefix.utf8.count + digits + 1)
        text.append(prefix)
        key.bytes.withBytes { Hex.encode($0, appendingTo: &text) }
        text.append(0x0a)
        return text.finish()
    }

    /// Whether a text begins with these lower-case letters, or with capitals in their place. The colon is no letter.
    private static func begins(_ text: Span<UInt8>, with prefix: String) -> Bool {
        guard text.count >= prefix.utf8.count else { return false }
        // A key may stand there without a prefix. Letters are compared in either case.
        var difference: UInt8 = 0
        for (index, byte) in prefix.utf8.enumerated() {
            difference |= (text[index] | ((0x61...0x7a).contains(byte) ? 0x20 : 0)) ^ byte
        }
        return !ConstantTime.reveal(UInt32(difference))
    }
}

/// Why a text is not a private key.
public enum GatewayKeyError: Error, Equatable, Sendable {
    /// It is not `private:` and 64 hexadecimal digits.
    case malformed
    /// It is a public key.
    case isPublic
    /// It has more than one line that is not blank.
    case severalLines
    /// All of its bytes are zero.
    case zeros
}
