import Encodings
import Testing
import VectorKit

@Suite struct GroupedCodeTests {
    private let code =
        "4K4M-5Q6T-KFUH-KHL5-2VCJ-ZM57-NL7R-WJTA-V45L-NJAM-WLEU-5DS4-XF7S-OPH4-CTCL-N2CF-3C4C-HPB7-YZWW-U3S6"

    @Test(arguments: try Vector.positive(in: .idBackup)) func `bytes become groups`(_ vector: Vector) throws {
        let bytes = try vector.inputs.bytes("backup_raw_hex")
        let code = GroupedCode(encoding: bytes.span)
        #expect(code.text == (try vector.inputs.string("backup")))
        // 5 bits a character, 4 characters a group.
        #expect(code.groups.count == bytes.count * 8 / 20)
        #expect(code.groups.allSatisfy { $0.count == GroupedCode.groupSize })
        #expect(try GroupedCode(parsing: code.text) == code)
    }

    @Test(arguments: [
        "-", "", " ", "  ", " - ", "--", "\t", "\n", "\r\n", "-\r\n", "\u{a0}", "\u{3000}", "\u{2028}", "\u{85}",
    ]) func `copying by hand is forgiven`(_ separator: String) throws {
        let text = code.replacing("-", with: separator)
        for copy in [text, text.lowercased(), separator + text + separator] {
            let read = try GroupedCode(parsing: copy)
            #expect(read.text == code)
            #expect(read.shortGroups == [])
        }
    }

    @Test(arguments: ["", " ", "-", "\n", " - \r\n - "]) func `nothing but separators is no code`(_ text: String) throws
    {
        let read = try GroupedCode(parsing: text)
        #expect(read.characters == [])
        #expect(read.groups == [])
        #expect(read.text == "")
        #expect(read.shortGroups == [])
    }

    @Test(arguments: [
        ("ABC", [1: 3]),
        ("ABCD-EF", [2: 2]),
        ("ABCDEF", [2: 2]),
        ("ABC-DEFG", [1: 3]),
        ("A-B-C-D", [1: 1, 2: 1, 3: 1, 4: 1]),
        ("ABCD-EFG-ABCD-AB-ABCD", [2: 3, 4: 2]),
        ("ABCDE-FGH", [2: 1, 3: 3]),
        ("--AB  CD--", [1: 2, 2: 2]),
        ("ABCD-EFGH", [:]),
        ("ABCDEFGH", [:]),
    ]) func `short groups are counted as typed`(_ text: String, _ expected: [Int: Int]) throws {
        let read = try GroupedCode(parsing: text)
        #expect(Dictionary(uniqueKeysWithValues: read.shortGroups.map { ($0.number, $0.count) }) == expected)
        #expect(read.shortGroups.map(\.number) == expected.keys.sorted())
        #expect(read.characters == Array(text.utf8).filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") })
    }

    @Test func `groups of a code with a rest`() throws {
        #expect(try GroupedCode(parsing: "abcdefg").groups == ["ABCD", "EFG"])
        #expect(try GroupedCode(parsing: "ab-cd-ef").text == "ABCD-EF")
    }

    @Test func `every character of a code is located when it is bad`() {
        for position in 0..<80 {
            var groups = code.split(separator: "-").map(Array.init)
            groups[position / 4][position % 4] = "1"
            let text = groups.map { String($0) }.joined(separator: "-")
            let expected = GroupedCodeError.badCharacter("1", group: position / 4 + 1, position: position % 4 + 1)
            #expect(throws: expected) { try GroupedCode(parsing: text) }
            #expect(throws: expected) { try GroupedCode(parsing: text.replacing("-", with: "")) }
        }
    }

    @Test(arguments: [
        ("ABC-DE1F", 2, 3), ("ABCDE-F1", 3, 2), ("ABCD1", 2, 1), ("-- 1", 1, 1), ("AB 1", 2, 1), ("ABCDEFGH-IJ8", 3, 3),
        ("ABC1DEF9", 1, 4),
    ]) func `a bad character is located in the groups as typed`(_ text: String, _ group: Int, _ position: Int) throws {
        let error = try #require(throws: GroupedCodeError.self) { try GroupedCode(parsing: text) }
        guard case .badCharacter(_, group, position) = error else {
            Issue.record("\(error)")
            return
        }
    }

    @Test func `of ASCII, letters, 2 to 7, dashes and blanks are read`() {
        let readable = Set(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz234567- \t\n\u{0b}\u{0c}\r".unicodeScalars)
        for value in UInt8.min...127 {
            let scalar = Unicode.Scalar(value)
            let isRead = (try? GroupedCode(parsing: "AB\(scalar)CD")) != nil
            #expect(isRead == readable.contains(scalar), "\(value)")
        }
    }

    @Test(
        arguments: [
            "\u{410}", "\u{391}", "\u{ff21}", "\u{ff12}", "\u{212a}", "\u{17f}", "\u{131}", "\u{df}", "\u{e4}",
            "\u{301}",
            "\u{2013}", "\u{2014}", "\u{2212}", "\u{2010}", "\u{ad}", "\u{200b}", "\u{200d}", "\u{feff}", "\u{1f511}",
            "\u{fffd}",
        ] as [Unicode.Scalar]) func `a character that only looks right is bad`(_ scalar: Unicode.Scalar)
    {
        #expect(throws: GroupedCodeError.badCharacter(scalar, group: 2, position: 2)) {
            try GroupedCode(parsing: "ABCD-E\(scalar)FG")
        }
    }

    @Test func `a text of 4096 scalars is read, a longer one is not`() throws {
        #expect(try GroupedCode(parsing: String(repeating: "A", count: 4096)).characters.count == 4096)
        #expect(try GroupedCode(parsing: String(repeating: " ", count: 4096)).characters.isEmpty)
        for text in [
            String(repeating: "A", count: 4097), String(repeating: " ", count: 4097),
            String(repeating: "1", count: 4097),
            // One visible character.
            "A" + String(repeating: "\u{301}", count: 4096), String(repeating: "\r\n", count: 2049),
        ] {
            #expect(throws: GroupedCodeError.tooLong(limit: 4096)) { try GroupedCode(parsing: text) }
        }
    }
}
