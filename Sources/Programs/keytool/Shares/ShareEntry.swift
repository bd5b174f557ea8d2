import SecureMemory
import Shares
import Threema

/// The words of a share while they are typed. A word that is wrong keeps its place until it is typed again.
struct ShareEntry: ~Copyable {
    /// Words of a share of a private key.
    static let wordCount = 33

    /// Whether these are the words of several shares. Three of them are as many as a share of some longer secret has, seven
    /// are more than any share has.
    static func areSeveral(_ words: Int) -> Bool {
        words > wordCount && words.isMultiple(of: wordCount) || words > ShareWords.maxCount
    }

    private var words = ShareWords()
    /// Numbers of words that have to be typed again, in order.
    private var doubted: [Int] = []

    /// The number of the word that is to be typed; nil if none is missing.
    var next: Int? { doubted.first ?? (words.count < Self.wordCount ? words.count + 1 : nil) }

    /// Whether the next word was typed before.
    var isAgain: Bool { !doubted.isEmpty }

    /// Whether nothing was typed.
    var isEmpty: Bool { words.count == 0 }

    /// What is wrong with a line.
    enum Problem: Equatable {
        /// The word of this number is not in the list. Those before it were taken.
        case unknown(number: Int)
        /// More words than are missing: of the rest of the line, none was taken.
        case tooMany
    }

    /// Takes the words of a line.
    mutating func take(_ line: Span<UInt8>) -> Problem? {
        for place in ShareWords.places(in: line) {
            guard let number = next else { return .tooMany }
            let word = line.extracting(place)
            do throws(ShareError) {
                if isAgain { try words.replace(number: number, by: word) } else { try words.append(word: word) }
            } catch {
                return .unknown(number: number)
            }
            if isAgain { doubted.removeFirst() }
        }
        return nil
    }

    /// Goes back: the last word that was typed is asked for again.
    mutating func back() {
        if let first = doubted.first {
            if first > 1 { doubted.insert(first - 1, at: 0) }
        } else if words.count > 0 {
            words.removeLast()
        }
    }

    /// Has words typed again.
    mutating func doubt(_ numbers: [Int]) {
        doubted = Set(doubted + numbers.filter { (1...Self.wordCount).contains($0) }).sorted()
    }

    /// The share, once no word is missing.
    /// - Throws: `ShareError`.
    func share() throws(ShareError) -> Share { try Share(words) }
}
