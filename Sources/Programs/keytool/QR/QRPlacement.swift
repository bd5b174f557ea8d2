import ArgumentParser
import Console
import Encodings
import QRCode

/// How a QR code is drawn.
enum QRMode: String, ExpressibleByArgument, CaseIterable {
    case auto, utf8, blocks, ascii

    /// The option of every command that names a file for a picture instead.
    static let fileOption = "--qr-file"

    /// The help of the option that chooses it.
    static let help = ArgumentHelp(
        "How to draw: auto, utf8 (half blocks), blocks (coloured blanks) or ascii.", valueName: "mode")
}

/// Chooses drawing mode and error correction for the terminal at hand.
struct QRPlacement {
    private let mode: TerminalDrawing.Mode
    private let size: TerminalSize?
    private let reservedRows: Int

    /// - Parameters:
    ///   - size: nil if everything fits.
    ///   - reservedRows: of it, for what else is shown.
    init(_ mode: QRMode, on size: TerminalSize? = .current, reservedRows: Int = 0) {
        self.init(mode, on: size, reservedRows: reservedRows, drawnOn: .results)
    }

    init(_ mode: QRMode, on size: TerminalSize?, reservedRows: Int, drawnOn outlet: Outlet) {
        self.size = size
        self.reservedRows = reservedRows
        self.mode =
            switch mode {
            case .utf8: ColorMode.isForbidden ? .uncoloured : .utf8
            case .blocks: .blocks
            case .ascii: .ascii
            // The Linux console's font and locales that are not UTF-8 have no half blocks.
            case .auto where Environment.value("TERM") == "linux" || !Environment.isUTF8:
                ColorMode.isWanted(on: outlet) ? .blocks : .ascii
            // Colours go nowhere unasked: neither into a pipe nor where they are not wanted.
            case .auto: ColorMode.isWanted(on: outlet) ? .utf8 : .uncoloured
            }
    }

    /// Columns and rows that a QR code of a hundred characters needs, and a row for what comes after it.
    var usualSize: (columns: Int, rows: Int) {
        switch mode {
        case .utf8, .uncoloured: (45, 24)
        case .blocks, .ascii: (90, 46)
        }
    }

    /// A QR code that was drawn.
    struct Placed {
        let matrix: QRMatrix
        /// What is printed.
        let lines: [StyledLine]
        let columns: Int
        /// Rows that the terminal lacks to show all of it; nil if it fits.
        let missingRows: Int?

        /// The drawing for programs: its modules, row by row.
        func json(_ command: String, _ members: (String, JSONValue?)...) -> JSONValue {
            .result(
                command,
                members + [
                    ("modules", .number(matrix.size)), ("error_correction", .string(matrix.errorCorrection.rawValue)),
                    ("rows", .array(matrix.rows.map { .string($0) })),
                ])
        }
    }

    /// - Parameters:
    ///   - levels: error correction, the most wanted first; the first one that fits is taken.
    ///   - mayScroll: draw even if the terminal has too few rows.
    /// - Throws: `QRError.tooLong`, or `.terminalTooSmall` if no level fits; if stdout is not a terminal,
    ///   everything does.
    func place(_ content: [UInt8], levels: [QRMatrix.ErrorCorrection], mayScroll: Bool) throws -> Placed {
        var smallest: TerminalDrawing?
        var smallestMatrix: QRMatrix?
        for level in levels {
            guard let matrix = try QRMatrix(encoding: content, errorCorrection: level) else { continue }
            let drawing = TerminalDrawing(matrix, mode: mode)
            if size.map({ drawing.columns <= $0.columns && drawing.rows <= $0.rows - reservedRows }) ?? true {
                return Placed(
                    matrix: matrix, lines: drawing.lines.map(StyledLine.drawn), columns: drawing.columns,
                    missingRows: nil)
            }
            if drawing.columns < smallest?.columns ?? .max {
                smallest = drawing
                smallestMatrix = matrix
            }
        }
        guard let smallest, let smallestMatrix, let size else { throw QRError.tooLong }
        let rows = smallest.rows + reservedRows
        guard smallest.columns <= size.columns, mayScroll else {
            throw QRError.terminalTooSmall(size, columns: smallest.columns, rows: rows)
        }
        return Placed(
            matrix: smallestMatrix, lines: smallest.lines.map(StyledLine.drawn), columns: smallest.columns,
            missingRows: max(0, rows - size.rows))
    }
}

/// Why a QR code was not drawn.
enum QRError: Error {
    /// No QR code holds so many bytes.
    case tooLong
    /// So many columns and rows are needed on a terminal of this size.
    case terminalTooSmall(TerminalSize, columns: Int, rows: Int)
}

extension QRError: Explained {
    /// The sentence and the exit code.
    var failure: Failure {
        switch self {
        case .tooLong: Failure(.badData, "the text is too long for a QR code")
        case .terminalTooSmall(let size, let columns, let rows):
            Failure(
                .failed,
                "the QR code needs \(columns) columns and \(rows) rows; the terminal has \(size.columns) and \(size.rows)",
                hints: "make the window larger or the font smaller, or write a picture: \(QRMode.fileOption) FILE.png")
        }
    }
}
