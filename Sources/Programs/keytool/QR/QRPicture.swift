import Console
import Encodings
import QRCode

/// What a picture is written as; the ending of its file's name says which.
enum PictureFormat: String, FileFormat {
    case png, svg
}

/// A QR code as a picture in a file of its own, 0600 like every result: it may hold a secret.
struct QRPicture {
    /// The option that names the file, in every command.
    static var option: String { QRMode.fileOption }

    /// Where it goes.
    let file: ResultFile
    private let format: PictureFormat

    /// - Throws: `UsageFailure` for a name of no known format; as `ResultFile.init`.
    init(_ path: String, mayReplace: Bool, outside reserved: ReservedDirectory?) throws {
        format = try PictureFormat(of: path, option: Self.option)
        file = try ResultFile(path, mayReplace: mayReplace, outside: reserved)
    }

    /// What the file holds.
    func bytes(of matrix: QRMatrix) -> [UInt8] {
        switch format {
        case .png: PNGImage(matrix).bytes
        case .svg: Array(SVGImage(matrix).text.utf8)
        }
    }

    /// Writes the picture, and says so instead of drawing it.
    func write(
        _ content: [UInt8], levels: [QRMatrix.ErrorCorrection], _ output: Output, _ command: String,
        _ members: (String, JSONValue?)...
    ) throws {
        let matrix = try QRMatrix.first(encoding: content, levels: levels)
        try ResultFile.write([(file, bytes(of: matrix))]) {
            try output.done(
                ["wrote the QR code to \(file.path)"],
                json: .result(
                    command,
                    members + [
                        ("file", .string(file.path)), ("modules", .number(matrix.size)),
                        ("error_correction", .string(matrix.errorCorrection.rawValue)),
                    ]))
        }
    }
}

extension QRMatrix {
    /// The code at the first of `levels` that holds `content`: a file has room for every size.
    /// - Throws: `QRError.tooLong`; if libqrencode cannot be used.
    static func first(encoding content: [UInt8], levels: [ErrorCorrection]) throws -> QRMatrix {
        for level in levels {
            if let matrix = try QRMatrix(encoding: content, errorCorrection: level) { return matrix }
        }
        throw QRError.tooLong
    }
}
