/// A page to print: marks on an A4 sheet, which `pdf` and `svg` draw alike.
///
/// Lengths are points, 1/72 inch. Positions count from the top left corner. What lies within `safeArea` is printed
/// whole on A4 and on Letter.
///
/// A page that shows a secret is in ordinary memory.
package struct Page: Sendable {
    /// A font that every reader of PDF has, so that no file needs to contain it.
    package enum Font: Sendable, CaseIterable {
        /// Helvetica.
        case text
        /// Helvetica, bold.
        case bold
        /// Courier: all characters have the same width.
        case fixed

        /// Width of a character of Courier, for size 1.
        package static let fixedWidth = 0.6
    }

    /// What is drawn, in black.
    package enum Mark: Equatable, Sendable {
        /// Text that begins at `x`, with its base line at `y`.
        case text(PrintableText, x: Double, y: Double, Font, size: Double)
        /// A thin line from a point to another one.
        case line(x: Double, y: Double, toX: Double, toY: Double, isDashed: Bool)
        /// Squares in a grid with its first cell at `x` and `y`; `cell` is the width of one.
        case cells([Run], x: Double, y: Double, cell: Double)
    }

    /// Filled cells of a grid, side by side in one row.
    package struct Run: Equatable, Sendable {
        let row: Int
        let column: Int
        let count: Int

        /// - Parameters:
        ///   - row: from 0 at the top.
        ///   - column: of the first cell, from 0 at the left.
        ///   - count: how many cells, 1 or more.
        package init(row: Int, column: Int, count: Int) {
            self.row = row
            self.column = column
            self.count = count
        }
    }

    /// Width of a line.
    static let lineWidth = 0.75
    /// A4.
    package static let width = 210.0.millimetres
    /// A4.
    package static let height = 297.0.millimetres
    /// Left, top, right and bottom of the part that A4 and Letter have in common, whichever edge of Letter's paper the
    /// page is aligned to (or its middle), less margins of more than 5 mm.
    package static let safeArea = (
        left: 15.0.millimetres, top: 24.0.millimetres, right: 195.0.millimetres, bottom: 273.0.millimetres
    )

    /// Name of the document, which readers show beside the page.
    package let title: PrintableText
    /// Of its text, as BCP 47 has it: programs that read a page aloud need it.
    package let language: String
    /// In the order of reading, which is the order in which text is selected.
    package private(set) var marks: [Mark] = []

    /// An empty page.
    /// - Parameter language: like `en`; letters and dashes only.
    package init(title: String, language: String = "en") {
        self.title = PrintableText(title)
        self.language = language
    }

    /// Writes text from `x` to the right; characters that paper cannot show are spelled, see `PrintableText`.
    package mutating func write(_ text: String, x: Double, y: Double, _ font: Font = .text, size: Double) {
        write(PrintableText(text), x: x, y: y, font, size: size)
    }

    /// Writes text from `x` to the right.
    package mutating func write(_ text: PrintableText, x: Double, y: Double, _ font: Font = .text, size: Double) {
        marks.append(.text(text, x: x, y: y, font, size: size))
    }

    /// Draws a thin line.
    package mutating func line(x: Double, y: Double, toX: Double, toY: Double, isDashed: Bool = false) {
        marks.append(.line(x: x, y: y, toX: toX, toY: toY, isDashed: isDashed))
    }

    /// Fills cells of a grid. `cell` is the width of one.
    package mutating func fill(_ runs: [Run], x: Double, y: Double, cell: Double) {
        marks.append(.cells(runs, x: x, y: y, cell: cell))
    }
}

extension Double {
    /// This many millimetres, in points.
    package var millimetres: Double { self * 72 / 25.4 }

    /// Hundredths, rounded, so that both formats have the same numbers.
    var hundredths: Int { Int((self * 100).rounded()) }

    /// With at most two decimals.
    var decimal: String { hundredths.decimalHundredths }
}

extension Int {
    /// A hundredth of this, as a decimal number.
    var decimalHundredths: String {
        let (whole, part) = magnitude.quotientAndRemainder(dividingBy: 100)
        let digits = part == 0 ? "" : part < 10 ? ".0\(part)" : ".\(part)"
        return (self < 0 ? "-" : "") + "\(whole)" + digits
    }
}
