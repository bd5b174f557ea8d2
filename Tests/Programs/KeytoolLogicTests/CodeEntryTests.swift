import Encodings
import Testing
import Threema

@testable import keytool

/// A backup code as it is typed, without a terminal.
@Suite struct CodeEntryTests {
    private static let text =
        "4K4M-5Q6T-KFUH-KHL5-2VCJ-ZM57-NL7R-WJTA-V45L-NJAM-WLEU-5DS4-XF7S-OPH4-CTCL-N2CF-3C4C-HPB7-YZWW-U3S6"
    private static let groups = text.split(separator: "-").map(String.init)

    private static func line(_ first: Int, _ last: Int) -> String {
        groups[first - 1..<last].joined(separator: "-")
    }

    @Test func `group by group, in either case`() throws {
        var entry = CodeEntry()
        for (index, group) in Self.groups.enumerated() {
            #expect(entry.next == index + 1)
            #expect(entry.code == nil)
            #expect(try entry.take(index.isMultiple(of: 2) ? group : group.lowercased()).isEmpty)
        }
        #expect(entry.isFull)
        #expect(entry.code?.text == Self.text)
    }

    @Test(arguments: [
        Self.text, Self.text.replacing("-", with: ""), Self.text.replacing("-", with: " "),
        Self.text.replacing("WLEU", with: "\nWLEU"), Self.text.lowercased(),
    ])
    func `pasted whole`(_ paste: String) throws {
        var entry = CodeEntry()
        #expect(try entry.take(paste).isEmpty)
        #expect(entry.code?.text == Self.text)
    }

    @Test func `a wrong group keeps its place`() throws {
        var entry = CodeEntry()
        let problems = try entry.take(Self.text.replacing("5Q6T", with: "5Q1T").replacing("WJTA", with: "WJ"))
        #expect(
            problems == [
                .character(.badCharacter("1", group: 2, position: 3)), .wrongLength(group: 8, characters: 2),
            ])
        #expect(entry.wrong?.number == 2)
        #expect(entry.wrong?.text == "5Q1T")
        _ = try entry.take("5Q6T", for: 2)
        #expect(entry.wrong?.number == 8)
        _ = try entry.take("WJTA", for: 8)
        #expect(entry.code?.text == Self.text)
    }

    @Test(arguments: [(1, 20), (6, 10), (7, 9), (8, 20), (5, 8), (8, 14)])
    func `a corrected line may be typed again`(_ first: Int, _ last: Int) throws {
        var entry = CodeEntry()
        _ = try entry.take(Self.text.replacing("WJTA", with: "WJ1A"))
        #expect(try entry.take(Self.line(first, last), for: 8).isEmpty)
        #expect(entry.code?.text == Self.text)
    }

    @Test(arguments: [
        (String(repeating: "ABCD-", count: 20), CodeEntryError.tooMany(groups: 21, limit: 20)),
        ("ABCDEFGHIJ", .unevenRun(characters: 10)), ("ABCD EFGHIJKLM", .unevenRun(characters: 9)),
    ])
    func `nothing of a line without certain places is taken`(_ line: String, _ error: CodeEntryError) throws {
        var entry = CodeEntry()
        _ = try entry.take(Self.groups[0])
        #expect(throws: error) { try entry.take(line) }
        #expect(entry.next == 2)
        #expect(entry.wrong == nil)
    }

    @Test func `a line that does not fit around the group`() throws {
        var entry = CodeEntry()
        _ = try entry.take(Self.line(1, 2) + "-KF1H-" + Self.line(4, 5))
        #expect(throws: CodeEntryError.onlyOneAskedFor(group: 3)) { try entry.take("AAAA-BBBB-CCCC", for: 3) }
    }

    @Test func `back and forth`() throws {
        var entry = CodeEntry()
        _ = try entry.take(Self.line(1, 3))
        entry.back()
        #expect(entry.next == 3)
        #expect(entry.takenBack == Self.groups[2])
        _ = try entry.take(Self.groups[2])
        #expect(entry.takenBack == nil)
        entry.doubt(2)
        #expect(entry.wrong?.number == 2)
        #expect(entry.wrong?.mayStay == true)
        entry.keep(2)
        #expect(entry.wrong == nil)
        for _ in 0..<5 { entry.back() }
        #expect(entry.next == 1)
    }

    @Test func `a row's check`() throws {
        let check = CodeRow(number: 1, groups: Array(Self.groups[0..<5])).check
        var entry = CodeEntry()
        #expect(try entry.take("\(Self.line(1, 5)) \(check)").isEmpty)
        let second = CodeRow(number: 2, groups: Array(Self.groups[5..<10])).check
        let wrong = "\(Self.line(6, 9))-AAAA \(second)"
        #expect(try entry.take(wrong).count == 1)
        #expect(entry.wrongRow?.number == 2)
        #expect(throws: CodeEntryError.wholeRow(first: 6, last: 10)) { try entry.take(Self.groups[5], for: 6) }
        #expect(try entry.take(Self.line(6, 10), for: 6).isEmpty)
        #expect(entry.wrongRow == nil)
        #expect(entry.next == 11)
    }

    @Test func `a slip is found by the check word`() throws {
        let code = try GroupedCode(parsing: Self.text)
        let word = IDBackup.checkWord(of: code)
        let mistyped = try GroupedCode(parsing: Self.text.replacing("NJAM", with: "NJAN"))
        #expect(CodeSlip(in: mistyped, expecting: word) == .character(group: 10))
        let swapped = try GroupedCode(parsing: Self.text.replacing("5DS4", with: "5SD4"))
        #expect(CodeSlip(in: swapped, expecting: word) == .swap(groups: [12]))
        let between = try GroupedCode(parsing: Self.text.replacing("4K4M-5Q6T", with: "4K45-MQ6T"))
        #expect(CodeSlip(in: between, expecting: word) == .swap(groups: [1, 2]))
        let twice = try GroupedCode(parsing: Self.text.replacing("5DS4", with: "AAS4"))
        #expect(CodeSlip(in: twice, expecting: word) == nil)
    }
}
