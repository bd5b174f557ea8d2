internal import SecureMemory

/// Finds words and their places. Each look-up passes over the whole list: no address depends on a word.
enum WordTable {
    /// Most letters of a word.
    static let maxLetters = 8
    /// So many letters are enough to tell a word.
    static let minLetters = 4

    /// The letters of each word, the first in the highest byte, zeros behind the last.
    private static let words: [UInt64] = {
        let words = WordList.text.description.utf8.split(separator: UInt8(ascii: " ")).map { word in
            word.reduce(0) { $0 << 8 | UInt64($1) } << UInt64(8 * (maxLetters - word.count))
        }
        precondition(words.count == WordList.count)
        return words
    }()

    /// The place of a typed word.
    /// - Parameter letters: in either case; a whole word, or its beginning of 4 letters or more. How many there are is
    ///   public.
    /// - Returns: nil if no word begins so. That is public, too.
    static func index(of letters: Span<UInt8>) -> UInt16? {
        guard (minLetters...maxLetters).contains(letters.count) else { return nil }
        var typed: UInt64 = 0
        var isLetters: UInt32 = .max
        for place in letters.indices {
            let lower = UInt32(letters[place] | 0x20)
            isLetters &= ConstantTime.mask(lower, from: 0x61, through: 0x7a)
            typed = typed << 8 | UInt64(lower)
        }
        let unused = UInt64(8 * (maxLetters - letters.count))
        var found: UInt32 = 0
        var isFound: UInt32 = 0
        for place in words.indices {
            let difference = words[place] >> unused ^ typed
            let mask = ConstantTime.mask(UInt32(truncatingIfNeeded: difference | difference >> 32), equals: 0)
            found |= mask & UInt32(truncatingIfNeeded: place)
            isFound |= mask
        }
        guard ConstantTime.reveal(isFound & isLetters) else { return nil }
        return UInt16(truncatingIfNeeded: found)
    }

    /// The letters of a word.
    /// - Parameter index: below 1,024.
    /// - Returns: the first letter in the highest byte, zeros behind the last.
    static func letters(at index: UInt16) -> UInt64 {
        var found: UInt64 = 0
        for place in words.indices {
            let mask = ConstantTime.mask(UInt32(truncatingIfNeeded: place), equals: UInt32(index))
            found |= words[place] & (UInt64(mask) << 32 | UInt64(mask))
        }
        return found
    }
}
