import Testing

@testable import ThreemaDataBackup

/// The app's dialect of CSV, rule by rule.
@Suite struct CSVTests {
    private static func rows(_ bytes: [UInt8]) -> [CSV.Row] {
        var rows: [CSV.Row] = []
        CSV.forEachRow(in: bytes.span) { row in
            rows.append(row)
            return true
        }
        return rows
    }

    private static func cells(_ text: String) -> [[String]] { rows(Array(text.utf8)).map(\.cells) }

    private static let texts: [(String, [[String]])] = [
        (#""a","b"\#n"#, [["a", "b"]]), (#""a","b""#, [["a", "b"]]),
        ("\"a\"\n\"b\"\r\"c\"\r\n\"d\"", [["a"], ["b"], ["c"], ["d"]]),
        ("a,b\n", [["a", "b"]]), (",\n", [["", ""]]), (#""a",,"c""#, [["a", "", "c"]]), ("\"\"\"\"", [["\""]]),
        ("  \"a\", \t\"b\"", [["a", "b"]]), (" a, b\n", [[" a", " b"]]), (#""a;b";c"#, [["a;b;c"]]),
        (#" a"b", "c""#, [[#" a"b""#, "c"]]),
        (#""say ""hi""""#, [[#"say "hi""#]]), (#""say \"hi\"""#, [[#"say "hi""#]]), (#""a\\b""#, [[#"a\b"#]]),
        (#""a\b\n\"c""#, [[#"abn"c"#]]), (#"a\b"#, [["ab"]]), (#""\\""""#, [[#"\""#]]), (#"a"b,c"#, [[#"a"b"#, "c"]]),
        ("\"a\nb\",\"c\r\nd\",\"e\rf\"\n", [["a\nb", "c\nd", "e\nf"]]), ("\n\n\"a\"\n\n", [["a"]]), ("", []),
        ("\u{feff}\"a\"\n", [["a"]]), ("\"🐈é\"\n", [["🐈é"]]), ("\"\",\"\"\n", [["", ""]]),
    ]

    @Test(arguments: texts)
    func `a text is read as these rows`(text: String, expected: [[String]]) {
        #expect(Self.cells(text) == expected)
    }

    @Test func `malformed bytes and NUL become a replacement character`() {
        #expect(Self.rows([0x22, 0xff, 0x61, 0xc3, 0x22, 0x0a]).map(\.cells) == [["\u{fffd}a\u{fffd}"]])
        #expect(Self.rows([0x61, 0, 0x62]).map(\.cells) == [["a\u{fffd}b"]])
    }

    @Test func `a quote that is never closed makes the row faulty`() {
        let rows = Self.rows(Array("\"a\"\n\"b,c\nd".utf8))
        #expect(rows.map(\.isFaulty) == [false, true])
        #expect(rows[1].cells == ["b,c\nd"])
    }

    @Test func `a row has at most 64 cells of 64 KiB`() {
        func isFaulty(_ text: String) -> Bool { Self.rows(Array(text.utf8))[0].isFaulty }
        #expect(!isFaulty(String(repeating: "a,", count: 63) + "a"))
        #expect(isFaulty(String(repeating: "a,", count: 64) + "a"))
        #expect(!isFaulty(String(repeating: "a", count: 65_536)))
        #expect(isFaulty(String(repeating: "a", count: 65_537)))
    }

    /// Looking at the whole cell for each quote would mean 140,000,000,000 comparisons here.
    @Test func `many quotes behind many blanks are no work`() {
        let text = String(repeating: " ", count: 65_535) + "a" + String(repeating: "\"", count: 2 << 20) + ",\"b\""
        let rows = Self.rows(Array(text.utf8))
        #expect(rows.count == 1 && rows[0].isFaulty)
        #expect(rows[0].cells.map(\.utf8.count) == [65_536, 1])
    }

    @Test func `reading ends when the caller says so`() {
        var count = 0
        CSV.forEachRow(in: Array("a\nb\nc".utf8).span) { _ in
            count += 1
            return count < 2
        }
        #expect(count == 2)
    }
}
