import ArgumentParser
import CommandLine
import Console
import Encodings
import QRCode
import Threema

struct QRShow: Verb {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Draw the text on stdin as a QR code.",
        discussion: "At most 1024 bytes, without NUL. One line ending at the end is removed.")

    @OptionGroup var globals: GlobalOptions

    @Option(help: QRMode.help)
    var mode = QRMode.auto

    @OptionGroup var target: QRFileOptions

    @OptionGroup var alone: QRScreenOptions

    private static let maxBytes = 1024

    /// A backup code is drawn as `backup export` draws it: small enough for 80 × 24.
    private static func isCode(_ content: [UInt8]) -> Bool {
        let text = String(decoding: content, as: UTF8.self)
        guard let code = try? GroupedCode(parsing: text) else { return false }
        return (try? IDBackup.scheme(of: code)) != nil && code.text == text
    }

    func run(_ session: Session) throws {
        try QRMatrix.requireEncoder()
        let picture = try target.picture(outside: session.reserved)
        let screen = try alone.screen(session.dialog, unless: target.qrFile)
        let content = try InputFile.standardInput.readBytes(.line, limit: Self.maxBytes)
        guard !content.isEmpty else { throw InputError.empty }
        guard !content.contains(0) else { throw InputError.hasNUL }
        let levels: [QRMatrix.ErrorCorrection] =
            Self.isCode(content) ? [.medium, .low] : [.quartile, .medium, .low]
        if let picture { return try picture.write(content, levels: levels, session.output, "qr show") }
        if let screen { return try screen.show(content, mode, levels: levels) }
        let drawing = try QRPlacement(mode).place(content, levels: levels, mayScroll: false)
        try session.output.data(drawn: drawing.lines, json: drawing.json("qr show"))
    }
}
