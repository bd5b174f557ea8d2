import QRCode
import Testing

@Suite struct QRMatrixTests {
    /// An 80-character backup code, 99 characters with its dashes.
    private static let code =
        "4K4M-5Q6T-KFUH-KHL5-2VCJ-ZM57-NL7R-WJTA-V45L-NJAM-WLEU-5DS4-XF7S-OPH4-CTCL-N2CF-3C4C-HPB7-YZWW-U3S6"
    /// The 104 characters of the newer scheme, 129 with dashes.
    private static let newerCode =
        "AHCV-YVN5-MZF6-H47E-BFDA-XPQ4-523T-QEJ7-Q7TB-5O2G-U3LM-IPAY-PMO3-RWYJ-FZ5F-VRAH-5MHT-IP2E-ODYI-GXW4-"
        + "4NAF-EOCO-OZPR-NZK4-CHVE-LYVL"
    private static let contact =
        "3mid:ABCD1234,00020406080a0c0e10121416181a1c1e20222426282a2c2e30323436383a3c3e"

    static let payloads: [(String, QRMatrix.ErrorCorrection, Int)] = [
        (code, .medium, 37), (code, .low, 33), (code, .quartile, 41), (newerCode, .low, 37), (newerCode, .medium, 41),
        (newerCode, .quartile, 49), (contact, .medium, 37), (contact, .quartile, 41), ("A", .low, 21),
        ("A", .quartile, 21), ("https://keytool.example/?a=b&c=d%20e", .medium, 29), ("Grüezi 🔑", .quartile, 25),
    ]

    private func matrix(
        _ text: String, _ errorCorrection: QRMatrix.ErrorCorrection
    ) throws -> QRMatrix {
        try #require(try QRMatrix(encoding: Array(text.utf8), errorCorrection: errorCorrection))
    }

    @Test(arguments: payloads) func `the size is that of the smallest version`(
        _ text: String, _ errorCorrection: QRMatrix.ErrorCorrection, _ size: Int
    ) throws {
        let matrix = try matrix(text, errorCorrection)
        #expect(matrix.size == size)
        #expect(matrix.errorCorrection == errorCorrection)
        #expect(matrix.rows.count == size)
        #expect(matrix.rows.allSatisfy { $0.utf8.count == size && $0.allSatisfy { "01".contains($0) } })
    }

    @Test(arguments: payloads) func `a reader reads exactly what was encoded`(
        _ text: String, _ errorCorrection: QRMatrix.ErrorCorrection, _ size: Int
    ) throws {
        let picture = try Picture(matrix(text, errorCorrection))
        let read = try picture.read()
        #expect(read == text)
    }

    @Test func `the finder patterns stand in three corners`() throws {
        let finder = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"]
        let matrix = try matrix(Self.code, .medium)
        let rows = matrix.rows
        #expect(rows.prefix(7).map { String($0.prefix(7)) } == finder)
        #expect(rows.prefix(7).map { String($0.suffix(7)) } == finder)
        #expect(rows.suffix(7).map { String($0.prefix(7)) } == finder)
        #expect(rows.suffix(7).map { String($0.suffix(7)) } != finder)
    }

    /// The two bits beside the lower left finder's corner name the level; they are masked with 10.
    @Test(arguments: [(QRMatrix.ErrorCorrection.low, "11"), (.medium, "10"), (.quartile, "01")])
    func `the level stands in the matrix`(_ errorCorrection: QRMatrix.ErrorCorrection, _ bits: String) throws {
        let matrix = try matrix(Self.code, errorCorrection)
        #expect(matrix.rows[8].prefix(2) == bits)
    }

    @Test func `a module is dark where its row says so, and light around`() throws {
        let matrix = try matrix(Self.contact, .medium)
        for row in -5..<matrix.size + 5 {
            for column in -5..<matrix.size + 5 {
                let isInside = (0..<matrix.size).contains(row) && (0..<matrix.size).contains(column)
                let expected = isInside && Array(matrix.rows[row].utf8)[column] == UInt8(ascii: "1")
                let isDark = matrix.isDark(row: row, column: column)
                #expect(isDark == expected)
            }
        }
    }

    @Test func `the same content gives the same matrix, other content another`() throws {
        let matrix = try matrix(Self.code, .medium)
        let same = try self.matrix(Self.code, .medium)
        let other = try self.matrix(Self.code.replacing("U3S6", with: "U3S7"), .medium)
        #expect(matrix == same)
        #expect(matrix != other)
    }

    @Test func `a NUL does not end the content`() throws {
        let codes = try [[0x41], [0x41, 0], [0, 0x41], [0x41, 0, 0x42], [0]].map { content in
            try #require(try QRMatrix(encoding: content, errorCorrection: .low))
        }
        #expect(Set(codes.map(\.rows)).count == codes.count)
    }

    @Test func `nothing and too much are refused`() throws {
        #expect(try QRMatrix(encoding: [], errorCorrection: .low) == nil)
        for (errorCorrection, most) in [(.low, 2953), (.medium, 2331), (.quartile, 1663)]
            as [(QRMatrix.ErrorCorrection, Int)]
        {
            let largest = try QRMatrix(
                encoding: [UInt8](repeating: 0xe4, count: most), errorCorrection: errorCorrection)
            #expect(largest?.size == 177)
            let more = try QRMatrix(
                encoding: [UInt8](repeating: 0xe4, count: most + 1), errorCorrection: errorCorrection)
            #expect(more == nil)
        }
    }
}
