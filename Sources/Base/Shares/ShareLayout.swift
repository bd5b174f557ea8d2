internal import SecureMemory

// A share (SLIP-0039, "Format of the share mnemonic"): a string of bits, big-endian, cut into words of 10 bits.
//
//   bits     meaning
//   15       identifier of the set
//   1        whether the set is extendable: whether sets of different identifiers can have the same sealed secret
//   4        iteration exponent e: sealing takes 10,000 · 2^e iterations
//   4        index of the group
//   4        groups needed, minus 1
//   4        groups, minus 1
//   4        index of the share in its group
//   4        shares of the group needed, minus 1
//   p        zeros, so many that the value ends with a word
//   8n       the value, as long as the secret: n bytes
//   30       checksum

enum ShareLayout {
    static let headerWords = 4
    /// Least and most bytes of a secret. The format has no upper limit; the checksum is for less than 1,024 words.
    static let minSecretCount = 16
    static let maxSecretCount = 256
    private static let wordBits = 10
    /// Most zeros in front of the value.
    private static let maxPadding = 8

    /// The index of the word that has the flag, and the flag in it.
    static let flagIndex = 1
    static let flag: UInt32 = 0x10

    static func isExtendable(_ words: borrowing ShareWords) -> Bool {
        ConstantTime.reveal(UInt32(words[flagIndex]) & flag)
    }

    static func wordCount(ofSecret count: Int) -> Int {
        headerWords + (8 * count + wordBits - 1) / wordBits + Checksum.wordCount
    }

    /// - Returns: nil if no secret has a share of so many words.
    static func secretCount(ofWords words: Int) -> Int? {
        let bits = (words - headerWords - Checksum.wordCount) * wordBits
        let padding = bits % 16
        guard bits > 0, padding <= maxPadding else { return nil }
        let count = (bits - padding) / 8
        return (minSecretCount...maxSecretCount).contains(count) ? count : nil
    }

    /// Appends the value, with zeros in front.
    static func append(_ value: borrowing SecureBytes, to words: inout ShareWords) {
        let total = wordBits * ((8 * value.count + wordBits - 1) / wordBits)
        var pending = total - 8 * value.count
        var accumulator: UInt32 = 0
        value.withBytes { value in
            for index in value.indices {
                accumulator = (accumulator << 8 | UInt32(value[index])) & 0x3_ffff
                pending += 8
                guard pending >= wordBits else { continue }
                pending -= wordBits
                words.append(UInt16(truncatingIfNeeded: accumulator >> UInt32(pending) & 1023))
            }
        }
    }

    /// - Parameter words: of a whole share whose checksum is right.
    /// - Returns: nil if bits in front of the value are not zero.
    static func value(of words: borrowing ShareWords, count: Int) -> SecureBytes? {
        let last = words.count - Checksum.wordCount
        var pending = 8 * count - (last - headerWords) * wordBits
        guard !ConstantTime.reveal(UInt32(words[headerWords]) >> UInt32(wordBits + pending)) else { return nil }
        return SecureBytes(count: count) { value in
            var accumulator: UInt32 = 0
            var written = 0
            for index in headerWords..<last {
                accumulator = (accumulator << UInt32(wordBits) | UInt32(words[index])) & 0x3f_ffff
                pending += wordBits
                while pending >= 8 {
                    pending -= 8
                    value[written] = UInt8(truncatingIfNeeded: accumulator >> UInt32(pending))
                    written += 1
                }
            }
        }
    }
}
