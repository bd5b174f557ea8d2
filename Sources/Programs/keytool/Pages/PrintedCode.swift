import Encodings
import Paper
import QRCode

/// A backup code on a page: five numbered groups to a row, and the row's check after them.
struct PrintedCode {
    let code: GroupedCode
    /// The label above the checks.
    let rowCheck: Sentence
    /// Size of the code's characters.
    let size: Double
    /// From a row to the next.
    let rowPitch: Double

    /// Characters from the number of a group to the next one.
    private static let numberPitch = 13
    /// From a group of a row to the next: its characters, and a dash.
    private var groupPitch: Double { Double(GroupedCode.groupSize + 1) * Page.Font.fixedWidth * size }
    private var numberSize: Double { groupPitch / (Double(Self.numberPitch) * Page.Font.fixedWidth) }
    /// From the left edge of a row to its check.
    private var checkColumn: Double { Double(CodeRow.groupCount) * groupPitch + 1.1 * size }

    /// Each group is placed by itself, so that no font can push them together, and ends where the next one begins, so
    /// that a row is selected as one word.
    /// - Parameter top: of what stands above the first row.
    /// - Returns: the base line of the last row.
    func write(on page: inout Page, x: Double, below top: Double) -> Double {
        page.write(rowCheck.text, x: x + checkColumn, y: top, size: 8)
        var y = top
        for row in CodeRow.rows(of: code) {
            y += rowPitch
            page.write(numbers(of: row), x: x, y: y - 0.9 * size, .fixed, size: numberSize)
            for (index, group) in row.groups.enumerated() {
                // No dash ends a row: programs that take text from a page would join it with the next line.
                page.write(
                    index == row.groups.count - 1 ? group : group + "-", x: x + Double(index) * groupPitch, y: y,
                    .fixed, size: size)
            }
            page.write(row.check, x: x + checkColumn, y: y, .fixed, size: 0.7 * size)
        }
        return y
    }

    /// The numbers of a row's groups, each above its group: one text, because programs that take text from a page make
    /// columns of single numbers, and read these down.
    private func numbers(of row: CodeRow) -> String {
        row.groups.indices.map { index in
            let number = "\(row.firstGroup + index)"
            guard index < row.groups.count - 1 else { return number }
            return number + " " + String(repeating: "\u{b7}", count: Self.numberPitch - number.count - 2) + " "
        }.joined()
    }
}

extension Page {
    /// Draws a QR code with its light margin.
    /// - Parameters:
    ///   - right: its right edge.
    ///   - module: width of a module.
    /// - Returns: its width and height.
    @discardableResult
    mutating func draw(_ matrix: QRMatrix, right: Double, top: Double, module: Double) -> Double {
        let quiet = QRMatrix.quietZone
        let side = Double(matrix.size + 2 * quiet) * module
        fill(
            matrix.darkRuns.map { Run(row: $0.row + quiet, column: $0.column + quiet, count: $0.count) },
            x: right - side, y: top, cell: module)
        return side
    }
}
