import ArgumentParser

/// A picture in a file instead of a drawing on the terminal: common to the `qr` verbs.
struct QRFileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write a new picture (0600) instead, PNG or SVG by its name.", valueName: "file.png|file.svg"),
        completion: .file(extensions: PictureFormat.allCases.map(\.rawValue)))
    var qrFile: String?

    @Flag(help: "Replace the file where it exists.")
    var force = false

    /// Nil where the terminal is drawn on. Refuses before anything is read or asked.
    var picture: QRPicture? {
        get throws { try qrFile.map { try QRPicture($0, mayReplace: force) } }
    }
}
