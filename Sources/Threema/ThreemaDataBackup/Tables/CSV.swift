internal import Encodings

// The app's CSV (opencsv 2.3, and a layer that escapes backslashes):
//
//   row       cells joined by commas, then LF; CR and CRLF are read, too
//   cell      in double quotes; unquoted ones are read, too; blanks in front of the first quote are dropped
//   ""  \"    a quote, in a quoted cell
//   \\        a backslash, in a quoted cell; any other backslash vanishes
//   CR CRLF   a line break in a quoted cell is read as LF
//
// UTF-8 without a byte order mark; one is skipped. Malformed bytes become U+FFFD.

/// Reads the app's CSV. It never fails: what is written otherwise is read as the app reads it.
enum CSV {
    /// Most cells of a row.
    static let maxCells = 64
    /// Longest cell in bytes.
    static let maxCellBytes = 64 * 1024

    /// A row of a table.
    struct Row: Equatable {
        var cells: [String] = []
        /// Whether it has more or longer cells than are read, or a quote that is never closed.
        var isFaulty = false
        /// Its length in bytes, the end of its line included.
        var byteCount = 0
    }

    /// Calls `body` for each row that is not empty, in order, until it returns false.
    static func forEachRow<E>(in text: Span<UInt8>, _ body: (Row) throws(E) -> Bool) throws(E) {
        var position = text.byteOrderMarkCount
        while position < text.count {
            var reader = RowReader(position: position)
            reader.read(text)
            reader.row.byteCount = reader.position - position
            position = reader.position
            if reader.row.cells != [""], try !body(reader.row) { return }
        }
    }

    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")
    private static let comma = UInt8(ascii: ",")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    private struct RowReader {
        var position: Int
        var row = Row()
        private var cell: [UInt8] = []
        /// Whether the cell has blanks only.
        private var isBlank = true
        private var isQuoted = false
        private var isOpen = false

        init(position: Int) { self.position = position }

        mutating func read(_ text: Span<UInt8>) {
            while position < text.count {
                let byte = text[position]
                let next = position + 1 < text.count ? text[position + 1] : nil
                position += 1
                switch byte {
                case carriageReturn, lineFeed:
                    if byte == carriageReturn, next == lineFeed { position += 1 }
                    guard isOpen else { return finishCell() }
                    append(lineFeed)
                case backslash:
                    guard isOpen, let next, next == quote || next == backslash else { continue }
                    append(next)
                    position += 1
                case quote where isOpen:
                    if next == quote {
                        append(quote)
                        position += 1
                    } else {
                        isOpen = false
                    }
                case quote where !isQuoted && isBlank:
                    cell = []
                    (isQuoted, isOpen) = (true, true)
                case comma where !isOpen: finishCell()
                default: append(byte)
                }
            }
            if isOpen { row.isFaulty = true }
            finishCell()
        }

        private mutating func append(_ byte: UInt8) {
            guard cell.count < maxCellBytes else {
                row.isFaulty = true
                return
            }
            cell.append(byte)
            if byte != 0x20 && byte != 0x09 { isBlank = false }
        }

        private mutating func finishCell() {
            if row.cells.count < maxCells {
                // A Safe document cannot hold U+0000.
                let text = cell.contains(0) ? cell.flatMap { $0 == 0 ? [0xef, 0xbf, 0xbd] : [$0] } : cell
                row.cells.append(String(decoding: text, as: UTF8.self))
            } else {
                row.isFaulty = true
            }
            (cell, isBlank, isQuoted, isOpen) = ([], true, false, false)
        }
    }
}
