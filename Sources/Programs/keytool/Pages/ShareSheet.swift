import Console
import Encodings
import Paper
import SecureMemory
import Shares
import Threema

// The page, in millimetres from the top (see Page.safeArea):
//
//    31  title
//    50  ID, number of the share, check word, set, date and public key
//   108  the words, three numbered ones to a row
//   198  how to restore it
//   257  name and date of the person who has it
//   272  where the others must not be
//
/// A page to print for one person: one share of a private key, and what to do with it.
struct ShareSheet {
    let id: ThreemaID
    let publicKey: PublicKey
    let share: Share
    /// How many shares there are.
    let count: Int
    /// The day they were made.
    let day: String
    let language: PageLanguage

    private var sentences: ShareSentences { .in(language) }

    private static let left = Page.safeArea.left
    private static let right = Page.safeArea.right
    private static let textSize = 10.0
    private static let numberSize = 9.0
    private static let wordsInRow = 3
    /// Stands for a word until that is put in: it occurs nowhere else on the page, and is as long as the longest word.
    private static let blank = String(repeating: "\u{a4}", count: ShareWords.maxLetters)
    private static let blankByte: UInt8 = 0xa4

    /// As people count.
    private var number: Int { Int(share.index) + 1 }

    /// The page as a PDF file, in guarded memory: the words are in it, and in no other copy.
    func pdf() -> SecureBytes {
        let words = share.words
        let template = page(wordCount: words.count).pdf
        return SecureBytes(count: template.count) { file in
            file.copy(template.span)
            var word = 1
            var offset = 0
            while offset < template.count {
                guard template[offset] == Self.blankByte else {
                    offset += 1
                    continue
                }
                words.padded(number: word).withBytes { file.copy($0, to: offset) }
                word += 1
                offset += Self.blank.count
            }
            precondition(word == words.count + 1)
        }
    }

    private var values: [Sentence.Place: String] {
        [
            .id: id.text, .word: ShellWord.quoted(id.text), .number: "\(number)", .count: "\(count)",
            .threshold: "\(share.threshold)", .others: "\(share.threshold - 1)",
        ]
    }

    private func page(wordCount: Int) -> Page {
        var page = Page(title: sentences.title.with(values), language: language.rawValue)
        func write(_ sentence: Sentence, at y: Double, _ font: Page.Font = .text, size: Double = Self.textSize) {
            page.write(sentence.with(values), x: Self.left, y: y.millimetres, font, size: size)
        }
        write(sentences.title, at: 31, .bold, size: 18)
        write(sentences.warning, at: 38)
        writeFacts(on: &page)
        write(sentences.wordsHeading, at: 108, .bold)
        writeWords(wordCount, on: &page)
        write(sentences.restoring, at: 200, .bold)
        let asking = share.threshold == 2 ? sentences.askOne : sentences.askOthers
        for (index, line) in ([asking] + sentences.steps).enumerated() { write(line, at: 206 + Double(index) * 5) }
        write(sentences.givenTo, at: 258)
        page.line(x: Self.left + 46.0.millimetres, y: 259.0.millimetres, toX: Self.right, toY: 259.0.millimetres)
        write(sentences.storage, at: 270, .bold)
        return page
    }

    private func writeFacts(on page: inout Page) {
        let facts = [
            (sentences.id, [id.text]), (sentences.share, [sentences.shareNumber.with(values)]),
            (sentences.checkWord, [publicKey.checkWord.text]), (sentences.set, ["\(share.set.identifier)"]),
            (sentences.madeOn, [day]),
            (
                sentences.publicKey,
                stride(from: 0, to: publicKey.lines.count, by: 4).map { start in
                    publicKey.lines[start..<start + 4].joined(separator: " ")
                }
            ),
        ]
        var y = 50.0
        for (label, values) in facts {
            page.write(label.text, x: Self.left, y: y.millimetres, size: Self.textSize)
            for value in values {
                page.write(value, x: Self.left + 40.0.millimetres, y: y.millimetres, .fixed, size: 11)
                y += 6
            }
        }
    }

    /// Each word beside its number, row by row: in this order programs take them from the page.
    private func writeWords(_ count: Int, on page: inout Page) {
        let pitch = (Self.right - Self.left) / Double(Self.wordsInRow)
        for index in 0..<count {
            let x = Self.left + Double(index % Self.wordsInRow) * pitch
            let y = (117 + Double(index / Self.wordsInRow) * 7).millimetres
            let digits = index < 9 ? 1 : 2
            let shift = Double(2 - digits) * Page.Font.fixedWidth * Self.numberSize
            page.write("\(index + 1)", x: x + shift, y: y, .fixed, size: Self.numberSize)
            page.write(Self.blank, x: x + 9.0.millimetres, y: y, .fixed, size: 15)
        }
    }
}
