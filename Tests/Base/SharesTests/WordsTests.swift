import Primitives
import SecureMemory
import Testing
import VectorKit

@testable import Shares

struct WordsTests {
    private static let list = WordList.text.description.split(separator: " ").map(String.init)

    /// The published list has this digest.
    @Test func listIsThePublishedOne() {
        let file = Array((Self.list.joined(separator: "\n") + "\n").utf8)
        let digest = SHA256.hash(file.span).hex
        #expect(digest.hasPrefix("bcc45553") && digest.hasSuffix("eec3"))
    }

    @Test func whatIsMeantAsAShareBeginsWithWords() {
        let words = Self.list.prefix(33).joined(separator: " ")
        let cases = [
            (words, true), (words.uppercased(), true), (words + " qqqq", true), ("qqqq " + words, false),
            (Self.list.prefix(19).joined(separator: " "), false), ("", false),
            ("DANC-3O6K-VIQ2-K3AB-LMIA-", false), (Array(repeating: "ABCD", count: 20).joined(separator: " "), false),
        ]
        for (text, expected) in cases { #expect(ShareWords.isLikely(Array(text.utf8).span) == expected) }
    }

    @Test func eachWordIsFoundByItsFirstFourLetters() throws {
        for (index, word) in Self.list.enumerated() {
            for letters in 4...word.count {
                let typed = Array(word.prefix(letters).utf8)
                #expect(WordTable.index(of: typed.span) == UInt16(index))
            }
            var words = ShareWords()
            try words.append(word: Array(word.uppercased().utf8).span)
            #expect(
                words.padded(number: 1).copied == Array((word + String(repeating: " ", count: 8 - word.count)).utf8))
        }
    }

    @Test(arguments: ["aca", "acae", "academicc", "academia", "Ácad", "acad3", "acad{", "@cademic", "abcd", "zzzz"])
    func otherWordsAreNot(_ word: String) {
        #expect(throws: ShareError.unknownWord(number: 2)) { try ShareWords(text: "zero \(word)") }
    }

    @Test func whiteSpaceAndCaseAreIgnored() throws {
        let words = try ShareWords(text: "  Zero\tACID\r\n\n acad ")
        #expect(words.text().copied == Array("zero acid academic".utf8))
        #expect(try ShareWords(text: " \n").count == 0)
    }

    /// As a page has them, or a person copies them.
    @Test func numbersAreIgnored() throws {
        let words = try ShareWords(text: " 1 zero  2. acid, 3) acad 4:acne\n33")
        #expect(words.text().copied == Array("zero acid academic acne".utf8))
    }

    @Test func wordsAreReplacedAndRemoved() throws {
        var words = try ShareWords(text: "zero acid yoga")
        try words.replace(number: 2, by: Array("year".utf8).span)
        #expect(throws: ShareError.unknownWord(number: 1)) { try words.replace(number: 1, by: Array("none".utf8).span) }
        words.removeLast()
        #expect(words.text().copied == Array("zero year".utf8))
    }

    @Test func moreWordsThanAnyShareHasAreRefused() {
        let text = Array(repeating: "zero", count: ShareWords.maxCount + 1).joined(separator: " ")
        #expect(throws: ShareError.length(words: ShareWords.maxCount + 1)) { try ShareWords(text: text) }
    }
}
