// A PDF file of some pages (ISO 32000-1), version 1.4, as keytool writes it: lines of text, nothing compressed.
//
//   part       content
//   header     %PDF-1.4, and a comment of four bytes above 127, which says that the file is not ASCII
//   1 0 obj    the catalogue
//   2 0 obj    the list of pages
//   3 0 obj    the first page: its size, its fonts F0, F1 and F2, its content
//   4 0 obj    a stream of operators that draw the page. Text is in Latin-1; (, ) and \ have a \ before them
//   …          two objects for each other page
//   next 3     the fonts, of the 14 that a reader has to have (9.6.2.2), in WinAnsiEncoding, which has Latin-1's
//              characters from A1 to FF at the same numbers
//   last       the title of the first page. No date, so that the same pages are the same file
//   xref       the offset of each object, in lines of 20 bytes
//   trailer    how many objects, the catalogue and the title; then the offset of xref and %%EOF
//
// The origin of a PDF page is its lower left corner.

extension Page {
    /// The page as a PDF file.
    package var pdf: [UInt8] { Self.pdf([self]) }

    /// Pages as one PDF file, which has the title and the language of the first one.
    /// - Parameter pages: 1 or more.
    package static func pdf(_ pages: [Page]) -> [UInt8] {
        var file = PDFFile()
        let fonts = Font.allCases.indices
        let firstPage = 3
        let firstFont = firstPage + 2 * pages.count
        file.add("<< /Type /Catalog /Pages 2 0 R /Lang (\(pages[0].language)) >>")
        let kids = pages.indices.map { "\(firstPage + 2 * $0) 0 R" }.joined(separator: " ")
        file.add("<< /Type /Pages /Kids [\(kids)] /Count \(pages.count) >>")
        let names = fonts.map { "/F\($0) \(firstFont + $0) 0 R" }.joined(separator: " ")
        for (index, page) in pages.enumerated() {
            file.add(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 \(width.decimal) \(height.decimal)] "
                    + "/Resources << /Font << \(names) >> >> /Contents \(firstPage + 2 * index + 1) 0 R >>")
            let content = Array(page.marks.map(operators).joined().unicodeScalars.map { UInt8($0.value) })
            file.add("<< /Length \(content.count) >>\nstream\n", content, "endstream")
        }
        for font in Font.allCases {
            file.add(
                "<< /Type /Font /Subtype /Type1 /BaseFont /\(font.pdfName) /Encoding /WinAnsiEncoding >>")
        }
        file.add("<< /Title \(string(pages[0].title)) >>")
        return file.finished(root: 1, information: firstFont + fonts.count)
    }

    /// The operators that draw a mark, in characters of Latin-1.
    private static func operators(_ mark: Mark) -> String {
        switch mark {
        case .text(let text, let x, let y, let font, let size):
            let index = Font.allCases.firstIndex(of: font)!
            return "BT /F\(index) \(size.decimal) Tf \(x.decimal) \(above(y)) Td \(string(text)) Tj ET\n"
        case .line(let x, let y, let toX, let toY, let isDashed):
            let dash = isDashed ? "[3 3] 0 d" : "[] 0 d"
            return
                "\(lineWidth.decimal) w \(dash) \(x.decimal) \(above(y)) m \(toX.decimal) \(above(toY)) l S\n"
        case .cells(let runs, let x, let y, let cell):
            // One path, so that no seams show; a grid of whole numbers that goes down.
            let rectangles = runs.map { "\($0.column) \($0.row) \($0.count) 1 re\n" }.joined()
            return "q \(cell.decimal) 0 0 -\(cell.decimal) \(x.decimal) \(above(y)) cm\n\(rectangles)f Q\n"
        }
    }

    /// A distance from the top as one from the bottom.
    private static func above(_ y: Double) -> String { (height.hundredths - y.hundredths).decimalHundredths }

    private static func string(_ text: PrintableText) -> String {
        let escaped = text.text.replacing("\\", with: "\\\\").replacing("(", with: "\\(").replacing(")", with: "\\)")
        return "(\(escaped))"
    }
}

extension Page.Font {
    fileprivate var pdfName: String {
        switch self {
        case .text: "Helvetica"
        case .bold: "Helvetica-Bold"
        case .fixed: "Courier"
        }
    }
}

/// The objects of a file, numbered from 1 as they are added.
private struct PDFFile {
    private var bytes = Array("%PDF-1.4\n%".utf8) + [0xe2, 0xe3, 0xcf, 0xd3] + Array("\n".utf8)
    private var offsets: [Int] = []

    /// - Parameter head: characters of Latin-1.
    mutating func add(_ head: String, _ content: [UInt8] = [], _ tail: String = "") {
        offsets.append(bytes.count)
        append("\(offsets.count) 0 obj\n\(head)")
        bytes += content
        append("\(tail)\nendobj\n")
    }

    /// The file with its table of objects.
    consuming func finished(root: Int, information: Int) -> [UInt8] {
        let start = bytes.count
        let count = offsets.count + 1
        append("xref\n0 \(count)\n0000000000 65535 f \n")
        for offset in offsets {
            let digits = String(offset)
            append(String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n")
        }
        append("trailer\n<< /Size \(count) /Root \(root) 0 R /Info \(information) 0 R >>\nstartxref\n\(start)\n%%EOF\n")
        return bytes
    }

    private mutating func append(_ text: String) {
        bytes += text.unicodeScalars.map { UInt8($0.value) }
    }
}
