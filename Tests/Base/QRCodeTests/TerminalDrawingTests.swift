import QRCode
import Testing

/// What the drawing becomes on a terminal.
@Suite struct TerminalDrawingTests {
    private static let code =
        "4K4M-5Q6T-KFUH-KHL5-2VCJ-ZM57-NL7R-WJTA-V45L-NJAM-WLEU-5DS4-XF7S-OPH4-CTCL-N2CF-3C4C-HPB7-YZWW-U3S6"
    /// Both colours named, so that no theme decides.
    private static let darkOnLight = "\u{1b}[38;5;16;48;5;231m"
    private static let dark = "\u{1b}[48;5;16m"
    private static let light = "\u{1b}[48;5;231m"
    private static let reset = "\u{1b}[0m"

    private func drawing(_ mode: TerminalDrawing.Mode, _ text: String = code) throws -> TerminalDrawing {
        let matrix = try #require(try QRMatrix(encoding: Array(text.utf8), errorCorrection: .medium))
        return TerminalDrawing(matrix, mode: mode)
    }

    @Test func `a backup code fits 80 columns and 24 rows`() throws {
        let drawing = try drawing(.utf8)
        #expect(drawing.columns == 45)
        #expect(drawing.rows == 23)
        let blocks = try self.drawing(.blocks)
        #expect(blocks.columns == 90)
        #expect(blocks.rows == 45)
    }

    @Test(arguments: TerminalDrawing.Mode.allCases, ["A", code, String(repeating: "x", count: 500)])
    func `a drawing has the size that it says`(_ mode: TerminalDrawing.Mode, _ text: String) throws {
        let drawing = try drawing(mode, text)
        #expect(drawing.lines.count == drawing.rows)
        for line in drawing.lines {
            let visible = line.replacing(/\u{1b}\[[0-9;]*m/, with: "")
            #expect(visible.unicodeScalars.count == drawing.columns)
            #expect(!line.contains { $0.isNewline })
        }
    }

    @Test func `half blocks are dark on light, each line by itself`() throws {
        for line in try drawing(.utf8).lines {
            #expect(line.hasPrefix(Self.darkOnLight))
            #expect(line.hasSuffix(Self.reset))
            let cells = line.dropFirst(Self.darkOnLight.count).dropLast(Self.reset.count)
            #expect(cells.allSatisfy { " ▀▄█".contains($0) })
        }
    }

    @Test func `half blocks say what the matrix says`() throws {
        let drawing = try drawing(.utf8)
        var dark: [[Bool]] = []
        for line in drawing.lines {
            let cells = line.dropFirst(Self.darkOnLight.count).dropLast(Self.reset.count)
            dark.append(cells.map { "▀█".contains($0) })
            dark.append(cells.map { "▄█".contains($0) })
        }
        // 45 is odd: the lower half of the last row is light and belongs to nothing.
        let last = dark.removeLast()
        #expect(!last.contains(true))
        try expectMatrix(dark)
    }

    @Test func `blanks say what the matrix says`() throws {
        var dark: [[Bool]] = []
        for line in try drawing(.blocks).lines {
            #expect(line.hasSuffix(Self.reset))
            var row: [Bool] = []
            var rest = line.dropLast(Self.reset.count)
            // Nothing is drawn before a colour is named.
            try #require(rest.hasPrefix(Self.dark) || rest.hasPrefix(Self.light))
            var isDark = false
            while !rest.isEmpty {
                if rest.hasPrefix(Self.dark) {
                    isDark = true
                    rest = rest.dropFirst(Self.dark.count)
                } else if rest.hasPrefix(Self.light) {
                    isDark = false
                    rest = rest.dropFirst(Self.light.count)
                } else {
                    try #require(rest.hasPrefix("  "))
                    row.append(isDark)
                    rest = rest.dropFirst(2)
                }
            }
            dark.append(row)
        }
        try expectMatrix(dark)
    }

    @Test func `signs without any escape say what the matrix says`() throws {
        var dark: [[Bool]] = []
        for line in try drawing(.ascii).lines {
            #expect(line.utf8.allSatisfy { $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: " ") })
            let pairs = stride(from: 0, to: line.utf8.count, by: 2).map { Array(line.utf8)[$0..<$0 + 2] }
            #expect(pairs.allSatisfy { $0.first == $0.last })
            dark.append(pairs.map { $0.first == UInt8(ascii: "#") })
        }
        try expectMatrix(dark)
    }

    /// Expects the code's matrix with a quiet zone of four light modules around it, as a reader sees it.
    private func expectMatrix(_ dark: [[Bool]]) throws {
        let matrix = try #require(try QRMatrix(encoding: Array(Self.code.utf8), errorCorrection: .medium))
        let quiet = [Bool](repeating: false, count: 4)
        let rows = matrix.rows.map { quiet + $0.utf8.map { $0 == UInt8(ascii: "1") } + quiet }
        let blank = [[Bool]](repeating: [Bool](repeating: false, count: 45), count: 4)
        #expect(dark == blank + rows + blank)
        let read = try Picture(dark: dark).read()
        #expect(read == Self.code)
    }
}
