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

    private func page(wordCount: Int) -> Page {
        var page = Page(title: "Share \(number) of \(count) of the Threema ID \(id)")
        func write(_ text: String, at y: Double, _ font: Page.Font = .text, size: Double = Self.textSize) {
            page.write(text, x: Self.left, y: y.millimetres, font, size: size)
        }
        write("Share \(number) of \(count) of the Threema ID \(id)", at: 31, .bold, size: 18)
        write(
            "Any \(share.threshold) of the \(count) shares give the private key. Anyone who has them can act as \(id).",
            at: 38)
        writeFacts(on: &page)
        write("The words of this share", at: 108, .bold)
        writeWords(wordCount, on: &page)
        write("How to restore it", at: 200, .bold)
        for (index, line) in instructions.enumerated() { write(line, at: 206 + Double(index) * 5) }
        write("Given to, and when:", at: 258)
        page.line(x: Self.left + 40.0.millimetres, y: 259.0.millimetres, toX: Self.right, toY: 259.0.millimetres)
        write("Store no other share of this ID in the same place, and type the words into no website.", at: 270, .bold)
        return page
    }

    private func writeFacts(on page: inout Page) {
        let facts = [
            ("ID", [id.text]), ("Share", ["\(number) of \(count); \(share.threshold) are needed"]),
            ("Check word", [publicKey.checkWord.text]), ("Set", ["\(share.set.identifier)"]), ("Made on", [day]),
            (
                "Public key",
                stride(from: 0, to: publicKey.lines.count, by: 4).map { start in
                    publicKey.lines[start..<start + 4].joined(separator: " ")
                }
            ),
        ]
        var y = 50.0
        for (label, values) in facts {
            page.write(label, x: Self.left, y: y.millimetres, size: Self.textSize)
            for value in values {
                page.write(value, x: Self.left + 28.0.millimetres, y: y.millimetres, .fixed, size: 11)
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

    private var instructions: [String] {
        let others = share.threshold - 1
        return [
            "Ask the people who have the other shares for \(others == 1 ? "one more" : "\(others) more"): "
                + "\(share.threshold) are needed, whichever they are.",
            "With keytool (messenger-keytool), a program for Linux: keytool backup join --id "
                + ShellWord.quoted(id.text),
            "It asks for the words; the first four letters of each are enough. Then compare the check word.",
            "Without keytool: every program for SLIP-39 joins the shares, without a passphrase, to 32 bytes:",
            "the private key (X25519) of the ID. One is shamir-mnemonic for Python: shamir recover",
            "The words are not those of a wallet, although wallets accept them.",
            "keytool backup check --share says whether the words of this share are right.",
            "No directory knows an ID that was created offline (keytool id create without --directory):",
            "the phone apps cannot restore it; keytool can.",
        ]
    }
}
