package import SecureMemory

/// Encodes bytes as pronounceable words: five letters for each 16 bits, consonants and vowels in turn (Wilkerson, "A
/// Proposal for Proquints", arXiv:0901.4016).
///
///     4 bits  2 bits  4 bits  2 bits  4 bits
///     b d f g h j k l m n p r s t v z   and   a i o u
package enum Proquint {
    private static let consonants = Array("bdfghjklmnprstvz".utf8)
    private static let vowels = Array("aiou".utf8)
    private static let lettersPerWord = 5

    /// - Parameter secret: an even number of bytes, at least 2.
    /// - Returns: words joined by dashes, ASCII.
    package static func encode(_ secret: borrowing SecureBytes) -> SecureBytes {
        precondition(secret.count >= 2 && secret.count.isMultiple(of: 2))
        let words = secret.count / 2
        var text = SecureBuffer(capacity: words * (lettersPerWord + 1) - 1)
        secret.withBytes { bytes in
            for word in 0..<words {
                if word > 0 { text.append(UInt8(ascii: "-")) }
                let bits = UInt32(bytes[2 * word]) << 8 | UInt32(bytes[2 * word + 1])
                // Letters are looked up at an index that is secret.
                text.append(ConstantTime.element(bits >> 12, of: consonants.span))
                text.append(ConstantTime.element(bits >> 10 & 3, of: vowels.span))
                text.append(ConstantTime.element(bits >> 6 & 15, of: consonants.span))
                text.append(ConstantTime.element(bits >> 4 & 3, of: vowels.span))
                text.append(ConstantTime.element(bits & 15, of: consonants.span))
            }
        }
        return text.finish()
    }
}
