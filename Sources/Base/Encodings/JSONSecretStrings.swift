package import SecureMemory

// Strings that are cut out of a document, because they may be a key. While they are read, no branch and no address
// depends on their characters, whether with escapes or without: some writers put a backslash before each / of Base64.
//
// Public are the place of the string, its lengths with escapes and without, and whether it has what no writer puts into
// a key: an escape of another character than " \ and /, or an error. Such a string is read in the ordinary way.

extension JSONScanner {
    /// Skips a string behind its opening quote, past its closing one.
    /// - Returns: the range of its text, still escaped.
    mutating func skipSecretString(_ bytes: Span<UInt8>) throws(JSONError) -> Range<Int> {
        let start = position
        var look = EscapeLook()
        while position < bytes.count {
            let isEnd = look.isEnd(bytes[position])
            position += 1
            if isEnd {
                if look.isOrdinary { return start..<position - 1 }
                break
            }
        }
        position = start
        try characters(bytes) { _ in }
        return start..<position - 1
    }

    /// Decodes the text of a cut string into guarded memory.
    package static func unescape(_ range: Range<Int>, of bytes: Span<UInt8>) throws(JSONError) -> SecureBytes {
        var look = EscapeLook()
        var escapes: UInt32 = 0
        for index in range { escapes &+= look.escape(bytes[index]) & 1 }
        // A longer text is no key, and does not fit into the cells below.
        guard look.isOrdinary, range.count <= maxSecretCount else { return try unescapeByBranches(range, of: bytes) }
        let removed = ConstantTime.reveal(count: escapes)
        let text = bytes.extracting(range)
        return removed == 0 ? SecureBytes(copying: text) : withoutEscapes(text, removed)
    }

    private static var maxSecretCount: Int { 1 << 22 }

    private static func unescapeByBranches(
        _ range: Range<Int>, of bytes: Span<UInt8>
    ) throws(JSONError) -> SecureBytes {
        var scanner = JSONScanner(limits: Limits(), cutPaths: [])
        scanner.position = range.lowerBound
        // No escape is shorter than what it stands for.
        var text = SecureBuffer(capacity: range.count)
        try scanner.characters(bytes) { text.append($0) }
        return text.finish()
    }

    /// Each character that stays moves to the left by the number of backslashes that are removed before it: first those
    /// that move by an odd number move by 1, then by 2, by 4, and so on. None moves to the place of another one that
    /// stays.
    private static func withoutEscapes(_ text: Span<UInt8>, _ removed: Int) -> SecureBytes {
        // Of each character the distance that it still has to move, and its byte.
        let moved = SecureBytes(count: cellCount * text.count) { cells in
            var look = EscapeLook()
            var distance: UInt32 = 0
            for index in text.indices {
                let isRemoved = look.escape(text[index])
                distance &+= isRemoved & 1
                cells.set(index, (distance << 8 | UInt32(text[index])) & ~isRemoved)
            }
            var step: UInt32 = 1
            while step <= removed {
                for index in Int(step)..<max(Int(step), text.count) {
                    let (cell, target) = (cells.cell(index), cells.cell(index - Int(step)))
                    let moves = ~ConstantTime.mask(cell & (step << 8), equals: 0)
                    cells.set(index - Int(step), cell & moves | target & ~moves)
                    cells.set(index, cell & ~moves)
                }
                step <<= 1
            }
        }
        return moved.withBytes { cells in
            SecureBytes(count: text.count - removed) { result in
                for index in result.indices { result[index] = cells[cellCount * index + cellCount - 1] }
            }
        }
    }
}

/// Looks at one character of a string after the other, without a branch.
private struct EscapeLook {
    /// All ones behind the backslash of an escape.
    private var isEscaped: UInt32 = 0
    /// Not zero after a control character, and after an escape of another character than these three.
    private var others: UInt32 = 0

    /// Whether all characters can be read without a branch.
    var isOrdinary: Bool { !ConstantTime.reveal(others | isEscaped) }

    /// Whether this is the closing quote, which is the first one that is not escaped. Other characters are looked at.
    mutating func isEnd(_ character: UInt8) -> Bool {
        let isQuote = ConstantTime.mask(UInt32(character), equals: 0x22)
        // Where a string ends is its length.
        guard !ConstantTime.reveal(isQuote & ~isEscaped) else { return true }
        _ = escape(character)
        return false
    }

    /// - Returns: all ones for a backslash that begins an escape; zero for any other character.
    mutating func escape(_ character: UInt8) -> UInt32 {
        let character = UInt32(character)
        let isBackslash = ConstantTime.mask(character, equals: 0x5c)
        let isSimple =
            isBackslash | ConstantTime.mask(character, equals: 0x22) | ConstantTime.mask(character, equals: 0x2f)
        others |= isEscaped & ~isSimple | ConstantTime.mask(character, from: 0, through: 0x1f)
        isEscaped = isBackslash & ~isEscaped
        return isEscaped
    }
}

/// Bytes of a cell: the distance, big-endian, and the byte.
private let cellCount = 4

extension MutableSpan where Element == UInt8 {
    fileprivate func cell(_ index: Int) -> UInt32 {
        let start = cellCount * index
        return UInt32(self[start]) << 24 | UInt32(self[start + 1]) << 16 | UInt32(self[start + 2]) << 8
            | UInt32(self[start + 3])
    }

    fileprivate mutating func set(_ index: Int, _ cell: UInt32) {
        for place in 0..<cellCount {
            self[cellCount * index + place] = UInt8(truncatingIfNeeded: cell >> UInt32(8 * (cellCount - 1 - place)))
        }
    }
}
