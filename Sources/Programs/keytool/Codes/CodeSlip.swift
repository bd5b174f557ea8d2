import Encodings
import Threema

/// The slip of a copyist that explains why a code does not have its check word.
enum CodeSlip: Equatable {
    /// One wrong character in this group, from 1.
    case character(group: Int)
    /// Two neighbours that changed places, in one group or in two.
    case swap(groups: [Int])

    /// The groups that are to be typed again.
    var groups: [Int] {
        switch self {
        case .character(let group): [group]
        case .swap(let groups): groups
        }
    }

    var words: String {
        switch self {
        case .character(let group): "probably one wrong character in group \(group)"
        case .swap(let groups):
            "probably two swapped characters in group\(groups.count > 1 ? "s" : "") "
                + groups.map(String.init).joined(separator: " and ")
        }
    }

    /// Tries each single character and each swap of two neighbours: some 3,000 hashes.
    /// - Returns: nil if none of them gives the word. That a wrong one does has a chance of 1 in 300 million.
    init?(in code: GroupedCode, expecting word: GroupedCode) {
        var characters = code.characters
        for index in characters.indices {
            let group = index / GroupedCode.groupSize + 1
            let typed = characters[index]
            for other in Self.alphabet where other != typed {
                characters[index] = other
                if Self.has(characters, word) {
                    self = .character(group: group)
                    return
                }
            }
            characters[index] = typed
            guard index + 1 < characters.count, characters[index + 1] != typed else { continue }
            characters.swapAt(index, index + 1)
            if Self.has(characters, word) {
                let second = (index + 1) / GroupedCode.groupSize + 1
                self = .swap(groups: group == second ? [group] : [group, second])
                return
            }
            characters.swapAt(index, index + 1)
        }
        return nil
    }

    /// Whether one word is the other with one wrong character or one swap.
    static func isBetween(_ left: GroupedCode, _ right: GroupedCode) -> Bool {
        let (left, right) = (left.characters, right.characters)
        guard left.count == right.count else { return false }
        let places = left.indices.filter { left[$0] != right[$0] }
        guard places.count == 2 else { return places.count == 1 }
        return places[1] == places[0] + 1 && left[places[0]] == right[places[1]] && left[places[1]] == right[places[0]]
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    private static func has(_ characters: [UInt8], _ word: GroupedCode) -> Bool {
        guard let bytes = Base32.decode(characters) else { return false }
        return IDBackup.checkWord(of: GroupedCode(encoding: bytes.span)).characters == word.characters
    }
}
