public import SecureMemory

/// Words of the list of SLIP-0039, in the order of a share. Guarded memory holds their places in the list, two bytes
/// each; whether they are a whole share, `Share` says.
public struct ShareWords: ~Copyable {
    /// Most words of a share: those of a secret of 256 bytes.
    public static let maxCount = ShareLayout.wordCount(ofSecret: ShareLayout.maxSecretCount)
    /// Most characters of a word.
    public static let maxLetters = WordTable.maxLetters

    private var bytes: SecureBuffer

    /// No words yet.
    public init() { bytes = SecureBuffer(capacity: 2 * Self.maxCount) }

    /// Reads words with white space between them, in lower or upper case. Of each, four letters are enough. Numbers and
    /// `. , : )` are skipped, for a page numbers its words.
    /// - Throws: `.unknownWord`, with the first one that is not in the list; `.length` for more than `maxCount` words.
    public init(parsing text: Span<UInt8>) throws(ShareError) {
        self.init()
        for place in Self.places(in: text) { try append(word: text.extracting(place)) }
    }

    /// Whether a text begins with so many words of the list that it is meant as a share.
    package static func isLikely(_ text: Span<UInt8>) -> Bool {
        let places = places(in: text)
        return places.count >= ShareLayout.wordCount(ofSecret: ShareLayout.minSecretCount)
            && places.prefix(8).allSatisfy { WordTable.index(of: text.extracting($0)) != nil }
    }

    /// Where words stand in a text.
    package static func places(in text: Span<UInt8>) -> [Range<Int>] {
        var places: [Range<Int>] = []
        var start = 0
        for end in 0...text.count {
            // Where a word ends is public: its length is seen on paper and at a prompt.
            guard end == text.count || isBlank(text[end]) else { continue }
            if start < end, !isNumber(text.extracting(start..<end)) { places.append(start..<end) }
            start = end + 1
        }
        return places
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        let byte = UInt32(byte)
        let isSpace = ConstantTime.mask(byte, equals: 0x20) | ConstantTime.mask(byte, from: 0x09, through: 0x0d)
        let isMark =
            ConstantTime.mask(byte, equals: 0x29) | ConstantTime.mask(byte, equals: 0x2c)
            | ConstantTime.mask(byte, equals: 0x2e) | ConstantTime.mask(byte, equals: 0x3a)
        return ConstantTime.reveal(isSpace | isMark)
    }

    /// Whether it has digits only. Which words have a number in front is public.
    private static func isNumber(_ word: Span<UInt8>) -> Bool {
        var mask = UInt32.max
        for index in word.indices { mask &= ConstantTime.mask(UInt32(word[index]), from: 0x30, through: 0x39) }
        return ConstantTime.reveal(mask)
    }

    /// How many words there are.
    public var count: Int { bytes.count / 2 }

    /// Adds a word at the end.
    /// - Parameter word: its letters, or four of them or more from the first on.
    /// - Throws: `.unknownWord`; `.length` if there are `maxCount` words already.
    public mutating func append(word: Span<UInt8>) throws(ShareError) {
        guard !bytes.isFull else { throw .length(words: count + 1) }
        guard let index = WordTable.index(of: word) else { throw .unknownWord(number: count + 1) }
        append(index)
    }

    /// Removes the last word.
    public mutating func removeLast() {
        bytes.removeLast()
        bytes.removeLast()
    }

    /// Replaces a word.
    /// - Parameter number: from 1 to `count`.
    /// - Throws: `.unknownWord`; then the old word stays.
    public mutating func replace(number: Int, by word: Span<UInt8>) throws(ShareError) {
        precondition((1...count).contains(number))
        guard let index = WordTable.index(of: word) else { throw .unknownWord(number: number) }
        var replaced = ShareWords()
        for each in 0..<count { replaced.append(each == number - 1 ? index : self[each]) }
        self = replaced
    }

    /// Writes a word to guarded memory.
    /// - Parameter number: from 1 to `count`.
    /// - Returns: `maxLetters` characters: the word, and blanks behind it.
    public func padded(number: Int) -> SecureBytes {
        let letters = WordTable.letters(at: self[number - 1])
        return SecureBytes(count: Self.maxLetters) { text in
            for place in text.indices {
                let letter = UInt8(truncatingIfNeeded: letters >> UInt64(8 * (Self.maxLetters - 1 - place)))
                // A blank in place of a zero.
                text[place] = letter | UInt8(truncatingIfNeeded: ConstantTime.mask(UInt32(letter), equals: 0) & 0x20)
            }
        }
    }

    /// All words in guarded memory, with one blank between them.
    public func text() -> SecureBytes {
        var text = SecureBuffer(capacity: max(1, count * (Self.maxLetters + 1)))
        for number in 1..<count + 1 {
            if number > 1 { text.append(UInt8(ascii: " ")) }
            padded(number: number).withBytes { word in
                // How long a word is, is public.
                for place in word.indices
                where !ConstantTime.reveal(ConstantTime.mask(UInt32(word[place]), equals: 0x20)) {
                    text.append(word[place])
                }
            }
        }
        return text.finish()
    }

    /// Lends the places of the words in the list, two bytes each, big-endian.
    func withBytes<Result: ~Copyable, E>(_ body: (Span<UInt8>) throws(E) -> Result) throws(E) -> Result {
        try bytes.withBytes(body)
    }

    /// The place of a word in the list; `index` counts from 0.
    subscript(index: Int) -> UInt16 {
        bytes.withBytes { UInt16($0[2 * index]) << 8 | UInt16($0[2 * index + 1]) }
    }

    mutating func append(_ index: UInt16) {
        bytes.append(UInt8(truncatingIfNeeded: index >> 8))
        bytes.append(UInt8(truncatingIfNeeded: index))
    }
}
