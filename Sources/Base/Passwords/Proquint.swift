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
                let bits = Int(bytes[2 * word]) << 8 | Int(bytes[2 * word + 1])
                text.append(consonants[bits >> 12])
                text.append(vowels[bits >> 10 & 3])
                text.append(consonants[bits >> 6 & 15])
                text.append(vowels[bits >> 4 & 3])
                text.append(consonants[bits & 15])
            }
        }
        return text.finish()
    }
}
