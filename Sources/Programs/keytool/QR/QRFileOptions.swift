import ArgumentParser
import Console

/// A picture in a file instead of a drawing on the terminal: common to the `qr` verbs.
struct QRFileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write a new picture (mode 0600) instead. The name says whether PNG or SVG.", valueName: "file.png|file.svg"
        ),
        completion: .file(extensions: PictureFormat.allCases.map(\.rawValue)))
    var qrFile: String?

    /// Whether a file that is there may be replaced.
    @Flag(help: "Overwrite an existing file.")
    var force = false

    /// The picture to write; nil to draw on the terminal.
    /// - Throws: as `QRPicture.init`.
    func picture(outside reserved: ReservedDirectory?) throws -> QRPicture? {
        try qrFile.map { try QRPicture($0, mayReplace: force, outside: reserved) }
    }
}
