import Encodings
import QRCode
import ThreemaKeeping
import Threema

// The page, in millimetres (A4 is 210 × 297):
//
//   from the top  content
//             24  title
//             46  ID, check word, date, scheme and public key on the left; the QR code on the right
//            132  the code, five numbered groups to a row, and the row's check after them
//            200  how to restore it
//            254  a line for a hint about the password
//            277  what must not be written here
//
/// A page to print and put away: a backup code with all that its owner needs to bring the identity back, but
/// without the password.
struct BackupSheet {
    let identity: IdentityKeeper.Summary
    let code: GroupedCode
    let scheme: IDBackup.Scheme
    let matrix: QRMatrix
    /// The day it was made.
    let day: String

    private static let margin = 20.0
    private static let width = 210.0 - 2 * margin
    private static let millimetresPerModule = 1.5
    /// From one group of a row to the next.
    private static let groupPitch = 32.0
    private static let rowPitch = 9.0
    private static let firstRow = 144.0

    /// The page as an SVG document: text in fonts that every printer has, and without references to other files.
    var svg: String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <svg xmlns="http://www.w3.org/2000/svg" width="210mm" height="297mm" viewBox="0 0 210 297">
        <title>\(Self.escaped(title))</title>
        <rect width="210" height="297" fill="#fff"/>
        <g fill="#000" font-family="sans-serif">
        \((heading + facts + rows + instructions + hint).joined(separator: "\n"))
        </g>
        \(picture)
        </svg>

        """
    }

    private var title: String { "Backup of the Threema identity \(identity.id)" }

    private var heading: [String] {
        [
            Self.text(title, y: 24, size: 6, attributes: Self.bold),
            Self.text(
                "Anyone who has this page and its password can act as \(identity.id). Store it like a key.", y: 32),
        ]
    }

    /// Labels, and beside them what programs show in the same letters.
    private var facts: [String] {
        let facts = [
            ("ID", [identity.id.text]), ("Check word", [IDBackup.checkWord(of: code).text]), ("Made on", [day]),
            ("Scheme", [scheme.rawValue]), ("Public key", identity.publicKey.lines),
        ]
        var lines: [String] = []
        var y = 46.0
        for (label, values) in facts {
            lines.append(Self.text(label, y: y))
            for value in values {
                lines.append(Self.text(value, x: Self.margin + 28, y: y, attributes: Self.monospace))
                y += 6
            }
        }
        return lines
    }

    private var picture: String {
        let image = SVGImage(matrix)
        let side = Double(image.side) * Self.millimetresPerModule
        return """
            <g transform="translate(\(210 - Self.margin - side) 40) scale(\(Self.millimetresPerModule))">
            \(image.content)
            </g>
            """
    }

    /// Each group stands at a place of its own, so that no font can push them together.
    private var rows: [String] {
        var lines = [
            Self.text("Backup code: A-Z and 2-7, so O and I are letters", y: 132, attributes: Self.bold),
            Self.text("row check", x: Self.checkColumn, y: Self.firstRow - 7, size: 2.8),
        ]
        let groups = code.groups
        for start in stride(from: 0, to: groups.count, by: CodeRow.groupCount) {
            let row = groups[start..<min(start + CodeRow.groupCount, groups.count)]
            let y = Self.firstRow + Double(start / CodeRow.groupCount) * Self.rowPitch
            for (index, group) in row.enumerated() {
                let x = Self.margin + Double(index) * Self.groupPitch
                lines.append(Self.text("\(start + index + 1)", x: x, y: y, size: 2.8))
                lines.append(Self.text(group, x: x + 5, y: y, size: 7, attributes: Self.monospace))
            }
            let check = CodeRow(number: start / CodeRow.groupCount + 1, groups: Array(row)).check
            lines.append(Self.text(check, x: Self.checkColumn, y: y, size: 5, attributes: Self.monospace))
        }
        return lines
    }

    private static let checkColumn = margin + Double(CodeRow.groupCount) * groupPitch - 4

    private var instructions: [String] {
        let (app, asking) =
            switch scheme {
            case .pbkdf2:
                (
                    "With the Threema app: while setting it up, restore from an ID backup and scan the QR code.",
                    "Both programs ask"
                )
            case .argon2id: ("The Threema app for iOS cannot read this code; keytool can.", "keytool asks")
            }
        let lines = [
            "With keytool (messenger-keytool), a program for Linux. Store its package, messenger-keytool,",
            "with the copies of your files: Debian's archive may not have it.",
            "\"keytool backup import\" asks for the groups; a row check may be typed after its row.",
            "\"keytool backup import --qr-image FILE\" reads a photo or a scan of this page.",
            app,
            "No directory knows an ID that keytool created (keytool id create):",
            "the phone apps cannot restore it; keytool can.",
            "\(asking) for the password. Then compare ID, public key and check word.",
        ]
        return [Self.text("How to restore it", y: 200, attributes: Self.bold)]
            + lines.enumerated().map { Self.text($1, y: 207 + Double($0) * 6) }
    }

    private var hint: [String] {
        [
            Self.text("A hint about the password that helps only you:", y: 254),
            "<path d=\"M\(Self.margin) 268h\(Self.width)\" stroke=\"black\" stroke-width=\"0.3\"/>",
            Self.text(
                "Do not write the password here, and do not store it with this page.", y: 277, attributes: Self.bold),
        ]
    }

    private static let bold = #"font-weight="bold""#
    private static let monospace = #"font-family="monospace""#

    private static func text(
        _ content: String, x: Double = margin, y: Double, size: Double = 3.5, attributes: String = ""
    ) -> String {
        "<text x=\"\(x)\" y=\"\(y)\" font-size=\"\(size)\" \(attributes)>\(escaped(content))</text>"
    }

    /// Text as XML's content; nothing in it can become markup.
    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
