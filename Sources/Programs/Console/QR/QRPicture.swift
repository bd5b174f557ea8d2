package import Encodings
package import QRCode

/// What a picture is written as; the ending of its file's name says which.
package enum PictureFormat: String, FileFormat {
    case png, svg
}

/// A QR code as a picture in a file of its own, 0600 like every result: it may hold a secret.
package struct QRPicture {
    /// The option that names the file, in every command.
    package static let option = "--qr-file"

    /// Where it goes.
    package let file: ResultFile
    private let format: PictureFormat

    /// - Throws: `UsageFailure` for a name of no known format; as `ResultFile.init`.
    package init(_ path: String, mayReplace: Bool, outside reserved: ReservedDirectory?) throws {
        format = try PictureFormat(of: path, option: Self.option)
        file = try ResultFile(path, mayReplace: mayReplace, outside: reserved)
    }

    /// What the file holds.
    package func bytes(of matrix: QRMatrix) -> [UInt8] {
        switch format {
        case .png: PNGImage(matrix).bytes
        case .svg: Array(SVGImage(matrix).text.utf8)
        }
    }

    /// Writes the picture, and says so instead of drawing it.
    package func write(
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
    /// - Throws: `QRError.tooLong`.
    package static func first(encoding content: [UInt8], levels: [ErrorCorrection]) throws(QRError) -> QRMatrix {
        for level in levels {
            if let matrix = QRMatrix(encoding: content, errorCorrection: level) { return matrix }
        }
        throw .tooLong
    }
}
