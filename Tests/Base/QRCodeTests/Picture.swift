import Foundation
import QRCode
import VectorKit

/// A QR code as a picture that another program reads.
struct Picture {
    private let dark: [[Bool]]
    /// Pixels of a module: readers want some.
    private static let scale = 4

    init(_ matrix: QRMatrix) {
        let range = -QRMatrix.quietZone..<matrix.size + QRMatrix.quietZone
        dark = range.map { row in range.map { matrix.isDark(row: row, column: $0) } }
    }

    /// Modules, quiet zone included.
    init(dark: [[Bool]]) {
        self.dark = dark
    }

    /// What zbarimg reads in it.
    func read() throws -> String {
        let file = URL(filePath: NSTemporaryDirectory()).appending(path: "qr-\(UUID().uuidString).pbm")
        defer { try? FileManager.default.removeItem(at: file) }
        try pbm.write(to: file)
        let result = try Program.output(
            of: "/usr/bin/zbarimg", ["--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", file.path()])
        // It ends what it prints with a line feed.
        return String(decoding: result.dropLast(), as: UTF8.self)
    }

    /// The plain form of a portable bitmap, 1 for black.
    private var pbm: Data {
        let width = (dark.first?.count ?? 0) * Self.scale
        var text = "P1\n\(width) \(dark.count * Self.scale)\n"
        for row in dark {
            let line = row.map { String(repeating: $0 ? "1" : "0", count: Self.scale) }.joined()
            // No line of it is longer than 70 characters.
            for start in stride(from: 0, to: line.utf8.count * Self.scale, by: 70) {
                let pixels = String(repeating: line, count: Self.scale).utf8
                    .dropFirst(start).prefix(70)
                text += String(decoding: Array(pixels), as: UTF8.self) + "\n"
            }
        }
        return Data(text.utf8)
    }
}
