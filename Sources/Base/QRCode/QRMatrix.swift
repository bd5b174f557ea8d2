internal import CQREncode
package import SecureMemory

/// The modules of a QR code (ISO/IEC 18004), without the quiet zone.
package struct QRMatrix: Equatable, Sendable {
    /// The level of error correction: about 7, 15 and 25 % of the codewords may be lost.
    package enum ErrorCorrection: String, Sendable {
        case low = "L"
        case medium = "M"
        case quartile = "Q"
    }

    /// Width of the light margin that readers expect, in modules.
    package static let quietZone = 4

    /// Most bytes that a QR code holds.
    private static let maxCount = 2953

    /// Modules in a row: 21, 25, … 177.
    package let size: Int
    /// The level of error correction.
    package let errorCorrection: ErrorCorrection
    /// `size` rows of `size` modules, true for dark.
    private let dark: [Bool]

    /// Encodes bytes in the smallest version that holds them; letters, digits and dashes take the
    /// alphanumeric mode, so a backup code is 37 modules wide at level M.
    /// What is not ASCII is encoded byte by byte.
    /// - Parameter content: 1 to 2,953 bytes.
    /// - Returns: nil if the content does not fit a QR code.
    /// - Throws: if libqrencode cannot be used.
    package init?(encoding content: [UInt8], errorCorrection: ErrorCorrection) throws(SharedLibrary.Failure) {
        let library = try Libqrencode.opened.get()
        guard !content.isEmpty, content.count <= Self.maxCount else { return nil }
        let level =
            switch errorCorrection {
            case .low: QR_ECLEVEL_L
            case .medium: QR_ECLEVEL_M
            case .quartile: QR_ECLEVEL_Q
            }
        // A text ends at its first NUL, and the library reads other alphabets as Kanji or not at all.
        let isText = content.allSatisfy { $0 > 0 && $0 < 0x80 }
        let encoded =
            isText
            ? unsafe library.encodeString(content.map { CChar(bitPattern: $0) } + [0], 0, level, QR_MODE_8, 1)
            : unsafe library.encodeData(CInt(content.count), content, 0, level)
        guard let code = unsafe encoded else { return nil }
        defer { unsafe library.free(code) }
        let width = Int(unsafe code.pointee.width)
        size = width
        self.errorCorrection = errorCorrection
        // The lowest bit of each byte is the colour; the encoder uses the others.
        dark = unsafe UnsafeBufferPointer(start: code.pointee.data, count: width * width).map { $0 & 1 == 1 }
    }

    /// libqrencode's version; nil if it cannot be used.
    package static var encoderVersion: String? {
        (try? Libqrencode.opened.get()).map { unsafe String(cString: $0.version()) }
    }

    /// Opens libqrencode, so that what it is needed for does not fail later.
    /// - Throws: if it cannot be used.
    package static func requireEncoder() throws(SharedLibrary.Failure) { _ = try Libqrencode.opened.get() }

    /// The rows as text, `1` for dark.
    package var rows: [String] {
        (0..<size).map { row in (0..<size).map { dark[row * size + $0] ? "1" : "0" }.joined() }
    }

    /// The dark modules of each row that lie side by side, from top to bottom and left to right.
    package var darkRuns: [(row: Int, column: Int, count: Int)] {
        var runs: [(row: Int, column: Int, count: Int)] = []
        for row in 0..<size {
            var column = 0
            while column < size {
                let start = column
                while isDark(row: row, column: column) { column += 1 }
                if column > start { runs.append((row, start, column - start)) }
                column += 1
            }
        }
        return runs
    }

    /// Whether the module is dark; false outside of the matrix.
    package func isDark(row: Int, column: Int) -> Bool {
        guard (0..<size).contains(row), (0..<size).contains(column) else { return false }
        return dark[row * size + column]
    }
}
