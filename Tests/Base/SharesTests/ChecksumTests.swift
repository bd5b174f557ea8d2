import SecureMemory
import Testing
import VectorKit

@testable import Shares

struct ChecksumTests {
    private static let list = WordList.text.description.split(separator: " ").map(String.init)

    private func fault(_ words: [String]) throws -> ChecksumFault? {
        do {
            _ = try Share(text: words.joined(separator: " "))
            return nil
        } catch ShareError.checksum(let fault) {
            return fault
        }
    }

    /// At each place every word in four, and all that change the flag which chooses the customisation string.
    @Test(arguments: [true, false])
    func eachWrongWordIsLocated(isExtendable: Bool) throws {
        let right = try sampleWords(isExtendable: isExtendable)
        for place in right.indices {
            for value in stride(from: place == 1 ? 0 : place % 4, to: 1024, by: place == 1 ? 1 : 4)
            where Self.list[value] != right[place] {
                var words = right
                words[place] = Self.list[value]
                #expect(try fault(words) == .word(number: place + 1))
            }
        }
    }

    @Test(arguments: [true, false])
    func eachSwapIsFound(isExtendable: Bool) throws {
        let right = try sampleWords(isExtendable: isExtendable)
        for first in right.indices {
            for second in right.indices.dropFirst(first + 1) where right[first] != right[second] {
                var words = right
                words.swapAt(first, second)
                let found = try fault(words)
                // Others may look like one wrong word: a word that turns the extendable flag changes the whole checksum.
                #expect(second == first + 1 ? found == .swapped(number: first + 1) : found != nil)
            }
        }
    }

    @Test func severalWrongWordsAreFound() throws {
        var random = SeededRandom(seed: 39)
        let right = try sampleWords()
        for count in [2, 3] {
            for _ in 0..<500 {
                var words = right
                for place in right.indices.shuffled(using: &random).prefix(count) {
                    words[place] = Self.list[random.number(below: 1024)]
                }
                #expect(try words == right || fault(words) != nil)
            }
        }
    }

    @Test func missingAndAddedWordsAreFound() throws {
        let right = try sampleWords()
        for place in right.indices {
            #expect(throws: (any Error).self) {
                try Share(text: (right[..<place] + right[(place + 1)...]).joined(separator: " "))
            }
            #expect(throws: (any Error).self) {
                try Share(text: (right[...place] + right[place...]).joined(separator: " "))
            }
        }
    }

}
