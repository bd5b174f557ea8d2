import Encodings
import Paper
import QRCode
import ThreemaKeeping
import Threema

// The page, in millimetres from the top (see Page.safeArea):
//
//    31  title
//    48  ID, check word, date, scheme and public key on the left; the QR code on the right
//   117  the code, five numbered groups to a row, and the row's check after them
//   204  how to restore it (178 for a short code)
//   255  lines for notes (229)
//   272  what must not be written here
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

    private static let left = Page.safeArea.left
    private static let right = Page.safeArea.right
    private static let textSize = 10.0
    private static let codeSize = 20.0
    private static let moduleWidth = 1.5.millimetres
    /// From a group of a row to the next: its characters, and a dash.
    private static let groupPitch = Double(GroupedCode.groupSize + 1) * Page.Font.fixedWidth * codeSize
    /// Characters from the number of a group to the next one.
    private static let numberPitch = 13
    private static let numberSize = groupPitch / (Double(numberPitch) * Page.Font.fixedWidth)
    private static let checkColumn = left + Double(CodeRow.groupCount) * groupPitch + 8.0.millimetres

    /// The page.
    var page: Page {
        var page = Page(title: "Threema ID backup of \(identity.id)")
        writeHeading(on: &page)
        writeFacts(on: &page)
        drawPicture(on: &page)
        let below = writeCode(on: &page)
        writeNotes(on: &page, from: writeInstructions(on: &page, from: below))
        return page
    }

    private func writeHeading(on page: inout Page) {
        page.write("Threema ID backup", x: Self.left, y: 31.0.millimetres, .bold, size: 18)
        page.write(
            "Anyone who has this page and its password can act as \(identity.id). Store it like a key.", x: Self.left,
            y: 38.0.millimetres, size: Self.textSize)
    }

    /// Labels, and beside them what programs show in the same letters.
    private func writeFacts(on page: inout Page) {
        let facts = [
            ("ID", [identity.id.text]), ("Check word", [IDBackup.checkWord(of: code).text]), ("Made on", [day]),
            ("Scheme", [scheme.rawValue]), ("Public key", identity.publicKey.lines),
        ]
        var y = 50.0
        for (label, values) in facts {
            page.write(label, x: Self.left, y: y.millimetres, size: Self.textSize)
            for value in values {
                page.write(value, x: Self.left + 28.0.millimetres, y: y.millimetres, .fixed, size: 11)
                y += 5
            }
            y += 1
        }
    }

    private func drawPicture(on page: inout Page) {
        let quiet = QRMatrix.quietZone
        let side = Double(matrix.size + 2 * quiet) * Self.moduleWidth
        let runs = matrix.darkRuns.map { Page.Run(row: $0.row + quiet, column: $0.column + quiet, count: $0.count) }
        page.fill(runs, x: Self.right - side, y: 40.0.millimetres, cell: Self.moduleWidth)
    }

    /// Each group is placed by itself, so that no font can push them together, and ends where the next one begins, so
    /// that a row is selected as one word.
    /// - Returns: where the next part begins.
    private func writeCode(on page: inout Page) -> Double {
        page.write(
            "Backup code: A-Z and 2-7, so O and I are letters", x: Self.left, y: 117.0.millimetres, .bold,
            size: Self.textSize)
        page.write("row check", x: Self.checkColumn, y: 117.0.millimetres, size: 8)
        let rows = CodeRow.rows(of: code)
        for row in rows {
            let y = (117 + Double(row.number) * 13).millimetres
            page.write(numbers(of: row), x: Self.left, y: y - 6.3.millimetres, .fixed, size: Self.numberSize)
            for (index, group) in row.groups.enumerated() {
                // No dash ends a row: programs that take text from a page would join it with the next line.
                page.write(
                    index == row.groups.count - 1 ? group : group + "-", x: Self.left + Double(index) * Self.groupPitch,
                    y: y, .fixed,
                    size: Self.codeSize)
            }
            page.write(row.check, x: Self.checkColumn, y: y, .fixed, size: 14)
        }
        return 126 + Double(rows.count) * 13
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

    /// - Returns: where the next part begins.
    private func writeInstructions(on page: inout Page, from top: Double) -> Double {
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
            "No directory knows an ID that was created offline (keytool id create without --directory):",
            "the phone apps cannot restore it; keytool can.",
            "\(asking) for the password. Then compare ID, public key and check word.",
        ]
        page.write("How to restore it", x: Self.left, y: top.millimetres, .bold, size: Self.textSize)
        for (index, line) in lines.enumerated() {
            page.write(line, x: Self.left, y: (top + 6 + Double(index) * 5).millimetres, size: Self.textSize)
        }
        return top + 6 + Double(lines.count) * 5
    }

    /// Lines to write on, as many as fit between `top` and the last line of the page.
    private func writeNotes(on page: inout Page, from top: Double) {
        page.write(
            "Notes, and a hint about the password that helps only you:", x: Self.left, y: (top + 5).millimetres,
            size: Self.textSize)
        for y in stride(from: 265.0, to: top + 12, by: -10).reversed() {
            page.line(x: Self.left, y: y.millimetres, toX: Self.right, toY: y.millimetres)
        }
        page.write(
            "Do not write the password here, and do not store it with this page.", x: Self.left, y: 272.0.millimetres,
            .bold, size: Self.textSize)
    }
}
