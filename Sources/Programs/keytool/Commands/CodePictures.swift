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
            "Also write a page to print (mode 0600): code, QR code, public key, and how to restore them.",
            valueName: "file.svg"),
        completion: .file(extensions: [PictureFormat.svg.rawValue]))
    var sheet: String?

    /// The named files, before there is a code.
    /// - Parameter other: another file of the same result.
    /// - Throws: what names and places of the files give reason to refuse.
    func files(beside other: ResultFile?, mayReplace: Bool) throws -> CodePictures {
        let picture = try qrFile.map { try QRPicture($0, mayReplace: mayReplace) }
        let page = try sheet.map { path in
            _ = try PictureFormat(of: path, option: "--sheet", among: [.svg])
            return try ResultFile(path, mayReplace: mayReplace)
        }
        try ResultFile.requireDistinct([other, picture?.file, page].compactMap { $0 })
        return CodePictures(picture: picture, page: page)
    }
}

/// The files of `CodePictureOptions`, and what goes into them.
struct CodePictures {
    let picture: QRPicture?
    let page: ResultFile?

    var isEmpty: Bool { picture == nil && page == nil }

    /// The content of each file.
    func parts(
        showing code: GroupedCode, _ scheme: IDBackup.Scheme, of identity: IdentityKeeper.Summary,
        levels: [QRMatrix.ErrorCorrection]
    ) throws -> [(file: ResultFile, bytes: [UInt8])] {
        guard !isEmpty else { return [] }
        let matrix = try QRMatrix.first(encoding: Array(code.text.utf8), levels: levels)
        let sheet = BackupSheet(
            identity: identity, code: code, scheme: scheme, matrix: matrix, day: WallClock.now().day)
        return [
            picture.map { ($0.file, $0.bytes(of: matrix)) }, page.map { ($0, Array(sheet.svg.utf8)) },
        ].compactMap { $0 }
    }

    /// Says where they are, once they are there.
    var lines: [String] {
        [
            picture.map { "wrote the QR code to \($0.file.path)" },
            page.map { "wrote the page to print to \($0.path)" },
        ].compactMap { $0 }
    }

    var json: [(String, JSONValue?)] {
        [("qr_file", picture.map { .string($0.file.path) }), ("sheet", page.map { .string($0.path) })]
    }
}
