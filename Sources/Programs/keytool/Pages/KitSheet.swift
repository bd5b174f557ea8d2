import CommandParsing
import Encodings
import Paper
import QRCode
import SafeWire
import Threema
import ThreemaKeeping

// The blocks of a kit, from top to bottom, on one page if they fit:
//
//   title, date, warning, who wrote it
//   1. how to get keytool
//   2. each Safe: where it is, the QR code of the address, the command; without one, a sentence that says so
//   3. the backup code, its check word and QR code, the command; the way with the app; the directory
//   4. the public key, and the command that shows it
//   a line for each password
//
/// All that brings an identity back, in the order in which it is done, for a person who never saw keytool. It holds no
/// password.
struct KitSheet {
    let identity: IdentityKeeper.Summary
    let code: GroupedCode
    let matrix: QRMatrix
    /// One for each Safe.
    let cards: [RecoveryCard]
    /// nil for an identity that no directory knows.
    let directory: PrintedDirectory?
    /// The day it was made.
    let day: String
    let language: PageLanguage

    private var kit: KitSentences { .in(language) }
    private var sheet: SheetSentences { .in(language) }

    private static let left = Page.safeArea.left
    private static let right = Page.safeArea.right
    /// Below it, the number of the page.
    private static let bottom = Page.safeArea.bottom - 5.0.millimetres
    private static let codeModule = 1.2.millimetres
    private static let addressSide = 26.0.millimetres
    /// Smaller ones are lost in a bad photo.
    private static let leastAddressModule = 0.5.millimetres
    /// Where the line of a password begins. The name of a place has up to 32 letters.
    private var fieldStart: Double { (cards.count > 1 ? 100.0 : 45.0).millimetres }

    /// - Throws: `RecoveryCardError.tooLong` if a Safe's part does not fit on a page; if libqrencode cannot be used.
    func pages() throws -> [Page] {
        let pen = PagePen(
            page: Page(title: kit.title.with(values), language: language.rawValue), y: Page.safeArea.top,
            left: Self.left, right: Self.right, textSize: 9.5, fixedSize: 9, pitch: 4.3.millimetres,
            labelWidth: 24.0.millimetres)
        var flow = PageFlow(pen, bottom: Self.bottom)
        try flow.add(writeHeading)
        if cards.isEmpty {
            try flow.add { pen in
                heading(kit.noSafeHeading, &pen)
                pen.write(kit.noSafe.with(values))
            }
        }
        for (index, card) in cards.enumerated() {
            let picture = try addressPicture(of: card)
            try flow.add { writeSafe(card, picture, isFirst: index == 0, &$0) }
        }
        try flow.add(writeCode)
        try flow.add(writeComparison)
        try flow.add(writePasswords)
        return numbered(flow.finished)
    }

    private var values: [Sentence.Place: String] {
        [.id: identity.id.text, .day: day, .version: Release.version]
    }

    private func heading(_ sentence: Sentence, _ pen: inout PagePen) {
        pen.y += 2.6.millimetres
        pen.write(sentence, .bold)
    }

    private func command(_ words: String...) -> ShellCommand { ShellCommand(parts: words.map { [$0] }) }

    private func writeHeading(_ pen: inout PagePen) {
        pen.write(kit.title.with(values), .bold, size: 18)
        pen.y += 1.0.millimetres
        for line in kit.warning { pen.write(line.with(values)) }
        pen.writeField(kit.writtenBy.text, from: 72.0.millimetres, height: 8.0.millimetres)
        heading(kit.gettingHeading, &pen)
        kit.getting.forEach { pen.write($0) }
    }

    /// Nil for an address that the app has itself, or that is too long for a small picture.
    private func addressPicture(of card: RecoveryCard) throws -> QRMatrix? {
        guard card.address != .official,
            let matrix = try QRMatrix(encoding: Array(card.address.text.utf8), errorCorrection: .medium),
            Double(matrix.size + 2 * QRMatrix.quietZone) * Self.leastAddressModule <= Self.addressSide
        else { return nil }
        return matrix
    }

    private func writeSafe(_ safe: RecoveryCard, _ picture: QRMatrix?, isFirst: Bool, _ pen: inout PagePen) {
        if isFirst { heading(kit.safeHeading, &pen) }
        let top = pen.y
        var end = top
        if let picture {
            pen.draw { page in
                let module = Self.addressSide / Double(picture.size + 2 * QRMatrix.quietZone)
                page.draw(picture, right: Self.right, top: top, module: module)
            }
            end += Self.addressSide
        }
        pen.write(
            safe.serverFacts, width: Self.right - Self.left - (picture == nil ? 0 : Self.addressSide))
        let place = safe.name.map { (isFirst ? kit.firstPlace : kit.nextPlace).with([.word: $0]) }
        // Beside the picture: a sentence with a long name leaves no room for another one.
        let lead = (place.map { [$0] } ?? []) + (isFirst ? [kit.safe.text] : [])
        pen.y = max(pen.y, end - Double(lead.count + 1) * pen.pitch)
        lead.forEach { pen.write($0) }
        // Nothing stands in the light margin of the picture.
        pen.y = max(pen.y, end)
        pen.write(safe.command)
        (safe.user == nil ? kit.asksSafe : kit.asksLogin).forEach { pen.write($0) }
        // Below the code it is said for both.
        safe.hints(saysOffline: false).forEach { pen.write($0) }
    }

    private func writeCode(_ pen: inout PagePen) {
        heading(kit.codeHeading, &pen)
        pen.write(hasApp ? kit.code : kit.codeWithoutApp)
        pen.write(command("keytool", "backup", "import"))
        if identity.hasGatewaySecret { pen.write(kit.gatewaySecret.with(values)) }
        kit.asksCode.forEach { pen.write($0) }
        pen.y += 6.0.millimetres
        let top = pen.y
        var end = top
        pen.draw { page in
            page.write(sheet.codeHeading.text, x: Self.left, y: top, .bold, size: 8)
            let printed = PrintedCode(code: code, rowCheck: sheet.rowCheck, size: 15, rowPitch: 9.2.millimetres)
            end = printed.write(on: &page, x: Self.left, below: top)
            let side = page.draw(
                matrix, right: Self.right, top: top - 5.0.millimetres, module: Self.codeModule)
            end = max(end + 8.0.millimetres, top - 9.0.millimetres + side)
        }
        pen.y = end - 5.0.millimetres
        pen.write(
            [(sheet.checkWord, [PrintableText(IDBackup.checkWord(of: code).text)])], labelWidth: 42.0.millimetres)
        pen.y = end
        pen.write(sheet.technician, .bold)
        guard let directory else { return sheet.offline.forEach { pen.write($0) } }
        pen.write(directory.facts(language, hasUser: true), labelWidth: 30.0.millimetres)
        directory.words(language).forEach { pen.write($0) }
    }

    /// Whether an app on a phone takes the code.
    private var hasApp: Bool { PrintedDirectory.hasApp(identity.id, directory) }

    private func writeComparison(_ pen: inout PagePen) {
        heading(kit.comparingHeading, &pen)
        pen.write(kit.comparing)
        pen.write(command("keytool", "id", "show", identity.id.text))
        pen.write(PrintableText(identity.publicKey.lines.joined(separator: " ")).text, .fixed, size: pen.fixedSize)
    }

    private func writePasswords(_ pen: inout PagePen) {
        heading(kit.passwordsHeading, &pen)
        pen.write(kit.passwords)
        let fields =
            [kit.backupPassword.text] + (directory?.hasLicence == true ? [kit.licencePassword.text] : [])
            + cards.flatMap { safe -> [String] in
                let place = safe.name.map { " (\($0))" } ?? ""
                let login = safe.user == nil ? [] : [kit.serverPassword.text + place]
                return login + [kit.safePassword.text + place]
            }
        for field in fields {
            pen.writeField(field, from: fieldStart, height: 7.0.millimetres)
        }
    }

    /// Several pages could be separated.
    private func numbered(_ pages: [Page]) -> [Page] {
        guard pages.count > 1 else { return pages }
        return pages.enumerated().map { index, page in
            var page = page
            let number = kit.pageNumber.with([.number: "\(index + 1)", .count: "\(pages.count)"])
            page.write("\(kit.title.with(values)): \(number)", x: Self.left, y: Page.safeArea.bottom, size: 8)
            return page
        }
    }
}
