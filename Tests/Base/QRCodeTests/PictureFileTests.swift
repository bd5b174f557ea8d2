import Foundation
import QRCode
import Testing
import VectorKit

/// PNG and SVG, from the smallest QR code to the largest.
@Suite struct PictureFileTests {
    static let contents = [
        "A", "4K4M-5Q6T-KFUH-KHL5", String(repeating: "x", count: 500),
        String(repeating: "Z", count: 2331),
    ]

    private func matrix(_ text: String) throws -> QRMatrix {
        try #require(try QRMatrix(encoding: Array(text.utf8), errorCorrection: .medium))
    }

    @Test(arguments: contents) func `a reader reads the PNG`(_ text: String) throws {
        let png = PNGImage(try matrix(text))
        let file = URL(filePath: NSTemporaryDirectory()).appending(path: "qr-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(png.bytes).write(to: file)
        let result = try Program.output(
            of: "/usr/bin/zbarimg", ["--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", file.path()])
        #expect(String(decoding: result, as: UTF8.self) == text + "\n")
    }

    @Test(arguments: contents) func `the PNG is as wide as its modules`(_ text: String) throws {
        let matrix = try matrix(text)
        let bytes = PNGImage(matrix).bytes
        let side = (matrix.size + 2 * QRMatrix.quietZone) * PNGImage.pixelsPerModule
        let width = bytes[16..<20].reduce(0) { $0 << 8 | Int($1) }
        let height = bytes[20..<24].reduce(0) { $0 << 8 | Int($1) }
        #expect((width, height) == (side, side))
        #expect(bytes.suffix(12) == [0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82])
    }

    @Test(arguments: contents) func `the path of the SVG covers the dark modules, each once`(_ text: String) throws {
        let matrix = try matrix(text)
        let image = SVGImage(matrix)
        #expect(image.side == matrix.size + 2 * QRMatrix.quietZone)
        var dark = [[Int]](repeating: [Int](repeating: 0, count: image.side), count: image.side)
        var rest = image.path[...]
        while !rest.isEmpty {
            let run = try #require(rest.prefixMatch(of: /M(\d+) (\d+)h(\d+)v1h-(\d+)z/))
            let (x, y, count) = try (#require(Int(run.1)), #require(Int(run.2)), #require(Int(run.3)))
            #expect(run.3 == run.4)
            for column in x..<x + count { dark[y][column] += 1 }
            rest = rest[run.range.upperBound...]
        }
        let range = -QRMatrix.quietZone..<matrix.size + QRMatrix.quietZone
        let expected = range.map { row in range.map { matrix.isDark(row: row, column: $0) ? 1 : 0 } }
        #expect(dark == expected)
    }
}
