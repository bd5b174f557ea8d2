internal import SecureMemory

/// The checksum of a share, RS1024 (SLIP-0039, "Checksum"): a Reed–Solomon code over GF(1024), three words long.
///
/// A polynomial over the characters of a customisation string and then the words has the remainder 1.
enum Checksum {
    /// Words of the checksum.
    static let wordCount = 3

    private static let generator: [UInt32] = [
        0x00e0_e040, 0x01c1_c080, 0x0383_8100, 0x0707_0200, 0x0e0e_0009, 0x1c0c_2412, 0x3808_6c24, 0x3090_fc48,
        0x21b1_f890, 0x03f3_f120,
    ]

    private static func string(_ isExtendable: Bool) -> StaticString {
        isExtendable ? "shamir_extendable" : "shamir"
    }

    private static func next(_ remainder: UInt32, _ value: UInt32) -> UInt32 {
        let top = remainder >> 20
        var next = (remainder & 0xf_ffff) << 10 ^ value
        for bit in generator.indices { next ^= generator[bit] & (0 &- (top >> UInt32(bit) & 1)) }
        return next
    }

    /// The remainder of the string and these words.
    private static func remainder(_ words: borrowing ShareWords, isExtendable: Bool) -> UInt32 {
        var remainder: UInt32 = 1
        for character in string(isExtendable).description.utf8 { remainder = next(remainder, UInt32(character)) }
        for index in 0..<words.count { remainder = next(remainder, UInt32(words[index])) }
        return remainder
    }

    /// Adds the checksum to all other words.
    static func append(to words: inout ShareWords, isExtendable: Bool) {
        var remainder = Self.remainder(words, isExtendable: isExtendable)
        for _ in 0..<wordCount { remainder = next(remainder, 0) }
        remainder ^= 1
        for place in 0..<UInt32(wordCount) {
            words.append(UInt16(truncatingIfNeeded: remainder >> (20 - 10 * place) & 1023))
        }
    }

    /// - Parameter words: at least 4.
    /// - Returns: nil for a right checksum.
    static func fault(in words: borrowing ShareWords) -> ChecksumFault? {
        let isExtendable = ShareLayout.isExtendable(words)
        let difference = remainder(words, isExtendable: isExtendable) ^ 1
        guard ConstantTime.reveal(difference) else { return nil }
        return locate(words, difference, isExtendable)
    }

    // MARK: The place of an error

    /// Tries one wrong word at each place, and then each swap of two neighbours.
    private static func locate(
        _ words: borrowing ShareWords, _ difference: UInt32, _ isExtendable: Bool
    ) -> ChecksumFault {
        let other = remainder(words, isExtendable: !isExtendable) ^ 1
        var numbers: [Int] = []
        // What an error of one bit leaves, from the last word to the first.
        var bits: [UInt32] = (0..<10).map { 1 << $0 }
        for index in (0..<words.count).reversed() {
            let row = ErrorRow(bits)
            if let error = row.error(leaving: difference), index != ShareLayout.flagIndex || !flips(error) {
                numbers.append(index + 1)
            }
            // The string was chosen by a word that is wrong.
            if index == ShareLayout.flagIndex, let error = row.error(leaving: other), flips(error) {
                numbers.append(index + 1)
            }
            for bit in bits.indices { bits[bit] = next(bits[bit], 0) }
        }
        if let number = numbers.first { return numbers.count == 1 ? .word(number: number) : .several }
        for index in 0..<words.count - 1 where isRight(words, swappedAt: index) { return .swapped(number: index + 1) }
        return .several
    }

    private static func flips(_ error: UInt32) -> Bool { ConstantTime.reveal(error & ShareLayout.flag) }

    private static func isRight(_ words: borrowing ShareWords, swappedAt swapped: Int) -> Bool {
        var other = ShareWords()
        for index in 0..<words.count {
            other.append(words[index == swapped ? swapped + 1 : index == swapped + 1 ? swapped : index])
        }
        return !ConstantTime.reveal(remainder(other, isExtendable: ShareLayout.isExtendable(other)) ^ 1)
    }
}

/// What one wrong word at a certain place can leave: ten errors of one bit are a basis of it.
private struct ErrorRow {
    /// Each remainder has a highest bit that no later one has.
    private var basis: [(remainder: UInt32, error: UInt32)] = []

    /// - Parameter remainders: of the errors of one bit, the lowest first.
    init(_ remainders: [UInt32]) {
        for bit in remainders.indices {
            var remainder = remainders[bit]
            var error: UInt32 = 1 << UInt32(bit)
            for row in basis where remainder >> Self.highestBit(row.remainder) & 1 == 1 {
                remainder ^= row.remainder
                error ^= row.error
            }
            basis.append((remainder, error))
        }
    }

    private static func highestBit(_ value: UInt32) -> UInt32 { 31 - UInt32(value.leadingZeroBitCount) }

    /// What was added to the word, if nothing else is wrong. It tells nothing of the right word.
    func error(leaving difference: UInt32) -> UInt32? {
        var (rest, error): (UInt32, UInt32) = (difference, 0)
        for row in basis {
            let has = 0 &- (rest >> Self.highestBit(row.remainder) & 1)
            rest ^= row.remainder & has
            error ^= row.error & has
        }
        return ConstantTime.reveal(rest) ? nil : error
    }
}
