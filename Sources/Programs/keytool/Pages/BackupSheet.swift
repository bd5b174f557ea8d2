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
    let language: PageLanguage

    private var sentences: SheetSentences { .in(language) }

    private static let left = Page.safeArea.left
    private static let right = Page.safeArea.right
    private static let textSize = 10.0
    private static let moduleWidth = 1.5.millimetres

    /// The page.
    var page: Page {
        var page = Page(title: sentences.name.with([.id: identity.id.text]), language: language.rawValue)
        writeHeading(on: &page)
        writeFacts(on: &page)
        let below = writeCode(on: &page)
        writeNotes(on: &page, from: writeInstructions(on: &page, from: below))
        return page
    }

    private func writeHeading(on page: inout Page) {
        page.write(sentences.title.text, x: Self.left, y: 31.0.millimetres, .bold, size: 18)
        page.write(
            sentences.warning.with([.id: identity.id.text]), x: Self.left, y: 38.0.millimetres, size: Self.textSize)
    }

    /// Labels, and beside them what programs show in the same letters.
    private func writeFacts(on page: inout Page) {
        let facts = [
            (sentences.id, [identity.id.text]), (sentences.checkWord, [IDBackup.checkWord(of: code).text]),
            (sentences.madeOn, [day]), (sentences.scheme, [scheme.rawValue]),
            (sentences.publicKey, identity.publicKey.lines),
        ]
        var y = 50.0
        for (label, values) in facts {
            page.write(label.text, x: Self.left, y: y.millimetres, size: Self.textSize)
            for value in values {
                page.write(value, x: Self.left + 40.0.millimetres, y: y.millimetres, .fixed, size: 11)
                y += 5
            }
            y += 1
        }
    }

    /// - Returns: where the next part begins.
    private func writeCode(on page: inout Page) -> Double {
        page.draw(matrix, right: Self.right, top: 40.0.millimetres, module: Self.moduleWidth)
        page.write(
            sentences.codeHeading.text, x: Self.left, y: 117.0.millimetres, .bold, size: Self.textSize)
        let printed = PrintedCode(
            code: code, rowCheck: sentences.rowCheck, size: 20, rowPitch: 13.0.millimetres)
        return printed.write(on: &page, x: Self.left, below: 117.0.millimetres) / 1.0.millimetres + 9
    }

    /// - Returns: where the next part begins.
    private func writeInstructions(on page: inout Page, from top: Double) -> Double {
        let (app, asking) =
            switch scheme {
            case .pbkdf2: (sentences.app, sentences.bothAsk)
            case .argon2id: (sentences.someApps, sentences.keytoolAsks)
            }
        let lines = (sentences.keytool + [app] + sentences.offline + [asking]).map(\.text)
        page.write(sentences.restoring.text, x: Self.left, y: top.millimetres, .bold, size: Self.textSize)
        for (index, line) in lines.enumerated() {
            page.write(line, x: Self.left, y: (top + 6 + Double(index) * 5).millimetres, size: Self.textSize)
        }
        return top + 6 + Double(lines.count) * 5
    }

    /// Lines to write on, as many as fit between `top` and the last line of the page.
    private func writeNotes(on page: inout Page, from top: Double) {
        page.write(
            sentences.notes.text, x: Self.left, y: (top + 5).millimetres, size: Self.textSize)
        for y in stride(from: 265.0, to: top + 12, by: -10).reversed() {
            page.line(x: Self.left, y: y.millimetres, toX: Self.right, toY: y.millimetres)
        }
        page.write(
            sentences.storage.text, x: Self.left, y: 272.0.millimetres, .bold, size: Self.textSize)
    }
}
