import ArgumentParser
import Console
import QRCode

/// A QR code on a screen of its own, which is wiped when Enter is pressed.
struct QRScreenOptions: ParsableArguments {
    /// Whether it is asked for.
    @Flag(
        name: .customLong("qr-wait"),
        help:
            "Draw on the terminal's second screen, and clear it when you press Enter. Nothing stays in the scrollback."
    )
    var isAwaited = false

    /// Not given.
    init() {}

    /// The screen to draw on; nil if it is not asked for.
    /// - Throws: `UsageFailure` if the terminal has no second screen, or if the picture is written to a file.
    func screen(_ dialog: Dialog, unless file: String?) throws -> QRScreen? {
        guard !isAwaited || file == nil else {
            throw UsageFailure("--qr-wait and \(QRMode.fileOption) cannot be combined")
        }
        return try screen(dialog)
    }

    /// The screen to draw on; nil if it is not asked for.
    /// - Throws: `UsageFailure` if the terminal has no second screen.
    func screen(_ dialog: Dialog) throws -> QRScreen? {
        guard isAwaited else { return nil }
        guard !dialog.output.isJSON else { throw UsageFailure("--qr-wait and --json cannot be combined") }
        guard dialog.mayAsk, let terminal = ControllingTerminal() else {
            throw UsageFailure("--qr-wait needs a terminal")
        }
        guard terminal.hasOwnScreen else {
            throw UsageFailure("--qr-wait needs a terminal with a second screen; TERM says that this one has none")
        }
        return QRScreen(terminal: terminal)
    }
}

/// The screen itself.
struct QRScreen: ~Copyable {
    fileprivate let terminal: ControllingTerminal

    /// Draws and waits. Enter and the end of input both end it.
    /// - Parameter text: stands beside the drawing; on a page of its own before it if there is no room.
    /// - Throws: `QRError` if the drawing does not fit: nobody could scroll to the rest of it.
    func show(
        _ content: [UInt8], _ mode: QRMode, levels: [QRMatrix.ErrorCorrection], beside text: [String] = []
    ) throws {
        let size = terminal.size
        // The last row is the question's.
        let placement = QRPlacement(mode, on: size, reservedRows: 1, drawnOn: terminal.outlet)
        let drawing = try placement.place(content, levels: levels, mayScroll: false)
        let width = text.map(\.count).max() ?? 0
        let isBeside = drawing.columns + Self.margin.count + width <= size.columns && text.count <= drawing.lines.count
        if !text.isEmpty, !isBeside {
            try page((text + [""]).map(StyledLine.init), "Press Enter for the QR code: ")
        }
        let blanks = drawing.lines.indices.map { isBeside && text.indices.contains($0) ? Self.margin + text[$0] : "" }
        try page(zip(drawing.lines, blanks).map { $0.followed(by: $1) }, "Press Enter to clear the screen: ")
    }

    private static var margin: String { "  " }

    private func page(_ lines: [StyledLine], _ question: String) throws {
        _ = try terminal.showAlone(question) { try terminal.say(lines) }
    }
}
