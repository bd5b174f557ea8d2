import Encodings
import QRCode
import SafeKeeping
import Threema

// The page, in millimetres (A4 is 210 × 297):
//
//   from the top  content
//             24  title
//             46  ID, check word, date, scheme and public key on the left; the QR code on the right
//            132  the code, five groups to a line
//            202  how to restore it
//            248  a line for a hint about the password
//            272  what must not be written here
//
/// A page to print and put away: a backup code with all that its owner needs to bring the identity back, but
/// without the password.
struct BackupSheet {
    let identity: SafeKeeper.Summary
    let code: GroupedCode
    let scheme: IDBackup.Scheme
    let matrix: QRMatrix
    /// The day it was made.
    let day: String

    private static let margin = 20.0
    private static let width = 210.0 - 2 * margin
    private static let millimetresPerModule = 1.5
    private static let groupsInLine = 5

    /// The page as an SVG document: text in the fonts of whoever prints it, and no reference to anything else.
    var svg: String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <svg xmlns="http://www.w3.org/2000/svg" width="210mm" height="297mm" viewBox="0 0 210 297">
        <title>\(Self.escaped(title))</title>
        <rect width="210" height="297" fill="#fff"/>
        <g fill="#000" font-family="sans-serif">
        \((heading + facts + groups + instructions + hint).joined(separator: "\n"))
        </g>
        \(picture)
        </svg>

        """
    }

    private var title: String { "Backup of the identity \(identity.id)" }

    private var heading: [String] {
        [
            Self.text(title, y: 24, size: 7, attributes: #"font-weight="bold""#),
            Self.text("Whoever has this page and its password is \(identity.id): keep it as you keep a key.", y: 32),
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
                lines.append(Self.text(value, x: Self.margin + 28, y: y, attributes: #"font-family="monospace""#))
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
    private var groups: [String] {
        [Self.text("Backup code: A-Z and 2-7, so O and I are letters", y: 132, attributes: #"font-weight="bold""#)]
            + code.groups.enumerated().map { index, group in
                Self.text(
                    group, x: Self.margin + Double(index % Self.groupsInLine) * 34,
                    y: 142 + Double(index / Self.groupsInLine) * 9, size: 7, attributes: #"font-family="monospace""#)
            }
    }

    private var instructions: [String] {
        let apps =
            switch scheme {
            case .pbkdf2: "In an app: when it is set up anew, restore from an ID backup and scan the QR code."
            case .argon2id: "The iOS app cannot read this code; keytool can."
            }
        let lines = [
            "With keytool (on Debian messenger-keytool): \"keytool backup import\" takes the groups.",
            "\"keytool backup import --qr-image FILE\" takes a photo or a scan of this page.", apps,
            "The password of this backup is asked for.",
            "Then compare ID, public key and check word with this page.",
        ]
        return [Self.text("How to restore it", y: 202, attributes: #"font-weight="bold""#)]
            + lines.enumerated().map { Self.text($1, y: 210 + Double($0) * 6) }
    }

    private var hint: [String] {
        [
            Self.text("A hint about the password that helps only you:", y: 248),
            "<path d=\"M\(Self.margin) 262h\(Self.width)\" stroke=\"black\" stroke-width=\"0.3\"/>",
            Self.text(
                "Do not write the password here, and do not keep it with this page.", y: 272,
                attributes: #"font-weight="bold""#),
        ]
    }

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
