import Encodings
import Paper
import QRCode
import ThreemaKeeping
import Threema

// The page, in millimetres from the top (see Page.safeArea):
//
//    31  title
//    50  ID, check word, date, scheme and public key on the left; the QR code on the right
//   116  the code, five numbered groups to a row, and the row's check after them
//   203  how to restore it (177 for a short code), for everybody and for a technician
//   249  a line for where the password is (223)
//   256  lines for notes (230)
//   272  what must not be written here
//
/// A page to print and put away: a backup code with all that its owner needs to bring the identity back, but
/// without the password.
struct BackupSheet {
    let identity: IdentityKeeper.Summary
    let code: GroupedCode
    let scheme: IDBackup.Scheme
    let matrix: QRMatrix
    /// Whether an app on a phone can restore the identity.
    let hasApp: Bool
    /// The day it was made.
    let day: String
    let language: PageLanguage

    private var sentences: SheetSentences { .in(language) }

    private static let left = Page.safeArea.left
    private static let right = Page.safeArea.right
    private static let textSize = 10.0
    private static let moduleWidth = 1.5.millimetres
    /// Of the code.
    private static let codeTop = 116.0
    /// From a line of the instructions to the next.
    private static let linePitch = 4.1

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
        let key = identity.publicKey.lines
        let keyRows = stride(from: 0, to: key.count, by: 2).map { key[$0..<$0 + 2].joined(separator: " ") }
        write(
            [
                (sentences.id, [identity.id.text]), (sentences.checkWord, [IDBackup.checkWord(of: code).text]),
                (sentences.madeOn, [day]),
            ], from: 50, on: &page)
        page.write(sentences.technician.text, x: Self.left, y: 70.0.millimetres, .bold, size: Self.textSize)
        write([(sentences.scheme, [scheme.rawValue]), (sentences.publicKey, keyRows)], from: 76, on: &page)
    }

    private func write(_ facts: [(Sentence, [String])], from top: Double, on page: inout Page) {
        var y = top
        for (label, values) in facts {
            page.write(label.text, x: Self.left, y: y.millimetres, size: Self.textSize)
            for value in values {
                page.write(value, x: Self.left + 45.0.millimetres, y: y.millimetres, .fixed, size: 11)
                y += 5
            }
            y += 1
        }
    }

    /// - Returns: where the next part begins.
    private func writeCode(on page: inout Page) -> Double {
        page.draw(matrix, right: Self.right, top: 40.0.millimetres, module: Self.moduleWidth)
        page.write(
            sentences.codeHeading.text, x: Self.left, y: Self.codeTop.millimetres, .bold, size: Self.textSize)
        let printed = PrintedCode(
            code: code, rowCheck: sentences.rowCheck, size: 20, rowPitch: 13.0.millimetres)
        return printed.write(on: &page, x: Self.left, below: Self.codeTop.millimetres) / 1.0.millimetres + 9
    }

    /// - Returns: where the next part begins.
    private func writeInstructions(on page: inout Page, from top: Double) -> Double {
        let (ways, asking) =
            switch scheme {
            case _ where !hasApp: (sentences.keytool, sentences.keytoolAsks)
            case .pbkdf2: (sentences.app, sentences.bothAsk)
            case .argon2id: (sentences.keytool + sentences.notOnIOS, sentences.keytoolAsks)
            }
        let middle = write(
            sentences.restoring, ways + sentences.package + [asking], from: top, on: &page)
        return write(sentences.technician, [sentences.details] + sentences.offline, from: middle + 1.5, on: &page)
    }

    /// Writes a heading with lines below.
    /// - Returns: where the next one may begin.
    private func write(_ heading: Sentence, _ lines: [Sentence], from top: Double, on page: inout Page) -> Double {
        page.write(heading.text, x: Self.left, y: top.millimetres, .bold, size: Self.textSize)
        var y = top
        for line in lines {
            y += Self.linePitch
            page.write(line.text, x: Self.left, y: y.millimetres, size: Self.textSize)
        }
        return y + Self.linePitch
    }

    /// Lines to write on: for where the password is, and as many for notes as fit between `top` and the last line of the
    /// page.
    private func writeNotes(on page: inout Page, from top: Double) {
        let y = (top + 4).millimetres
        page.write(sentences.passwordPlace.text, x: Self.left, y: y, size: Self.textSize)
        page.line(x: Self.left + 54.0.millimetres, y: y + 1.0.millimetres, toX: Self.right, toY: y + 1.0.millimetres)
        page.write(
            sentences.notes.text, x: Self.left, y: (top + 10.5).millimetres, size: Self.textSize)
        for y in stride(from: 266.0, to: top + 18, by: -10).reversed() {
            page.line(x: Self.left, y: y.millimetres, toX: Self.right, toY: y.millimetres)
        }
        page.write(
            sentences.storage.text, x: Self.left, y: 272.0.millimetres, .bold, size: Self.textSize)
    }
}
