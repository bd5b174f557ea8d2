import ArgumentParser
import Console
import Encodings
import QRCode
import ThreemaKeeping
import Threema

/// Files that show a new backup code: alone as a QR code, and on a page to print.
struct CodePictureOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Also write the QR code to a new picture (mode 0600). The name says whether PNG or SVG.",
            valueName: "file.png|file.svg"),
        completion: .file(extensions: PictureFormat.allCases.map(\.rawValue)))
    var qrFile: String?

    @Option(
        help: ArgumentHelp(
            "Also write a page to print (mode 0600), or PDF to stdout for -: code, QR code, public key, how to restore.",
            valueName: "file.pdf|file.svg"),
        completion: .file(extensions: PageFormat.allCases.map(\.rawValue)))
    var sheet: String?

    @OptionGroup var language: PageLanguageOption

    func validate() throws { try language.require(sheet != nil, option: "--sheet") }

    /// Whether the code is drawn in a file.
    var areWanted: Bool { qrFile != nil || sheet != nil }

    /// Whether stdout is the page, and nothing else.
    var isSheetPrinted: Bool { sheet == "-" }

    /// The named files, before there is a code.
    /// - Parameters:
    ///   - other: another file of the same result.
    ///   - reserved: where no file may go.
    /// - Throws: what names and places of the files give reason to refuse.
    func files(
        beside other: ResultFile?, mayReplace: Bool, outside reserved: ReservedDirectory?
    ) throws -> CodePictures {
        let picture = try qrFile.map { try QRPicture($0, mayReplace: mayReplace, outside: reserved) }
        let page = try sheet.map { try PageTarget($0, outside: reserved, option: "--sheet", mayReplace: mayReplace) }
        try ResultFile.requireDistinct([other, picture?.file, page?.file].compactMap { $0 })
        return CodePictures(picture: picture, page: page, language: language.chosen)
    }
}

/// The files of `CodePictureOptions`, and what goes into them.
struct CodePictures {
    let picture: QRPicture?
    let page: PageTarget?
    let language: PageLanguage

    /// What shows a code.
    struct Contents {
        /// The content of each file.
        var files: [(file: ResultFile, bytes: [UInt8])] = []
        /// The page, if it goes to stdout.
        var printed: (page: PageTarget, bytes: [UInt8])?
    }

    /// Draws the code.
    /// - Parameter hasApp: whether an app on a phone can restore the identity; only a page asks.
    func contents(
        showing code: GroupedCode, _ scheme: IDBackup.Scheme, of identity: IdentityKeeper.Summary,
        hasApp: @autoclosure () -> Bool, levels: [QRMatrix.ErrorCorrection]
    ) throws -> Contents {
        var contents = Contents()
        guard picture != nil || page != nil else { return contents }
        let matrix = try QRMatrix.first(encoding: Array(code.text.utf8), levels: levels)
        if let picture { contents.files.append((picture.file, picture.bytes(of: matrix))) }
        if let page {
            let sheet = BackupSheet(
                identity: identity, code: code, scheme: scheme, matrix: matrix, hasApp: hasApp(),
                day: WallClock.now().day, language: language)
            let bytes = page.bytes(of: sheet.page)
            if let file = page.file { contents.files.append((file, bytes)) } else { contents.printed = (page, bytes) }
        }
        return contents
    }

    /// Says where the files are, once they are there.
    var lines: [String] {
        [
            picture.map { "wrote the QR code to \($0.file.path)" },
            page?.file.map { "wrote the page to print to \($0.path)" },
        ].compactMap { $0 }
    }

    var json: [(String, JSONValue?)] {
        [("qr_file", picture.map { .string($0.file.path) }), ("sheet", page?.file.map { .string($0.path) })]
    }
}
