import Paper
import SecureMemory
import Shares

/// A page to print for one person: what it is about, the words of one share, what to do with them, and lines for the
/// names of the owner and of the people who have the pages.
///
/// The words have numbers, and three stand in a row, so that a copy can be compared row by row. Rows have no checksum of
/// their own: that of the share finds a wrong word by its number already.
struct SharePage {
    let language: PageLanguage
    let title: String
    /// The lines below the title.
    let lead: [String]
    /// Before the line for the owner's name.
    let owner: String
    let facts: [(label: Sentence, values: [String])]
    /// Above the lines on what to do.
    let heading: String
    let lines: [Line]
    /// From the top of the page, in millimetres.
    let places: Places

    enum Line {
        case text(String)
        case heading(String)
        /// To be typed as it is.
        case program([String])
        /// Half a line.
        case gap
    }

    /// In millimetres: positions from the top of the page, and distances.
    struct Places {
        let owner: Double
        let facts: Double
        let factPitch: Double
        let labelWidth: Double
        let words: Double
        let rowPitch: Double
        let heading: Double
        let linePitch: Double
        let names: Double
    }

    private static let left = Page.safeArea.left
    private static let right = Page.safeArea.right
    private static let textSize = 10.0
    private static let factSize = 9.5
    private static let numberSize = 9.0
    private static let programSize = 8.0
    private static let programPitch = 3.6
    private static let wordsInRow = 3
    /// Between two lines to write on, and to the last line of the page.
    private static let namePitch = 8.0
    /// Where a line to write on begins, behind its label.
    private static let nameStart = 54.0.millimetres
    /// Stands for a word until that is put in: it occurs nowhere else on the page, and is as long as the longest word.
    private static let blank = String(repeating: "\u{a4}", count: ShareWords.maxLetters)
    private static let blankByte: UInt8 = 0xa4

    /// Whether a text may stand on the page: not if it could be taken for words.
    static func mayHave(_ text: String) -> Bool { !text.unicodeScalars.contains("\u{a4}") }

    /// The page as a PDF file, in guarded memory: the words are in it, and in no other copy.
    func pdf(of words: borrowing ShareWords) -> SecureBytes {
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
        let sentences = ShareSentences.in(language)
        var page = Page(title: title, language: language.rawValue)
        func write(_ text: String, at y: Double, _ font: Page.Font = .text, size: Double = Self.textSize) {
            page.write(text, x: Self.left, y: y.millimetres, font, size: size)
        }
        write(title, at: 31, .bold, size: 18)
        for (index, line) in lead.enumerated() { write(line, at: 38 + Double(index) * 5) }
        writeName(owner, at: places.owner, on: &page)
        writeFacts(on: &page)
        write(sentences.wordsHeading.text, at: places.words, .bold)
        writeWords(wordCount, on: &page)
        write(heading, at: places.heading, .bold)
        var y = places.heading + places.linePitch + 1
        for line in lines {
            switch line {
            case .gap: y += places.linePitch / 2
            case .text(let text):
                write(text, at: y)
                y += places.linePitch
            case .heading(let text):
                write(text, at: y, .bold)
                y += places.linePitch
            case .program(let lines):
                for (index, line) in lines.enumerated() {
                    write(line, at: y + Double(index) * Self.programPitch, .fixed, size: Self.programSize)
                }
                y += Double(lines.count - 1) * Self.programPitch + places.linePitch
            }
        }
        writeName(sentences.otherHolders.text, at: places.names, on: &page)
        writeName(sentences.givenTo.text, at: places.names + Self.namePitch, on: &page)
        write(sentences.storage.text, at: places.names + 2 * Self.namePitch, .bold)
        return page
    }

    /// A label, and a line to write on.
    private func writeName(_ label: String, at y: Double, on page: inout Page) {
        page.write(label, x: Self.left, y: y.millimetres, size: Self.textSize)
        let end = (y + 1).millimetres
        page.line(x: Self.left + Self.nameStart, y: end, toX: Self.right, toY: end)
    }

    private func writeFacts(on page: inout Page) {
        var y = places.facts
        for (label, values) in facts {
            page.write(label.text, x: Self.left, y: y.millimetres, size: Self.textSize)
            for value in values {
                page.write(
                    value, x: Self.left + places.labelWidth.millimetres, y: y.millimetres, .fixed,
                    size: Self.factSize)
                y += places.factPitch
            }
        }
    }

    /// Each word beside its number, row by row: in this order programs take them from the page.
    private func writeWords(_ count: Int, on page: inout Page) {
        let pitch = (Self.right - Self.left) / Double(Self.wordsInRow)
        for index in 0..<count {
            let x = Self.left + Double(index % Self.wordsInRow) * pitch
            let y = (places.words + 9 + Double(index / Self.wordsInRow) * places.rowPitch).millimetres
            let digits = index < 9 ? 1 : 2
            let shift = Double(2 - digits) * Page.Font.fixedWidth * Self.numberSize
            page.write("\(index + 1)", x: x + shift, y: y, .fixed, size: Self.numberSize)
            page.write(Self.blank, x: x + 9.0.millimetres, y: y, .fixed, size: 15)
        }
    }
}

extension Share {
    /// What sentences say of a share, as people count.
    /// - Parameter count: how many shares there are.
    func values(count: Int) -> [Sentence.Place: String] {
        [
            .number: "\(index + 1)", .count: "\(count)", .threshold: "\(threshold)", .others: "\(threshold - 1)",
        ]
    }
}

extension ShareSentences {
    /// How many other shares are needed beside this one.
    func asking(_ share: Share) -> Sentence { share.threshold == 2 ? askOne : askOthers }
}
