import Encodings
import Testing
import VectorKit

/// Canonical text: what the outline takes is what the scanner reads and the writer writes, byte for byte.
@Suite struct JSONOutlineTests {
    /// What an outline may be taken of, by scanner and writer.
    private func isCanonical(_ bytes: [UInt8], limits: JSONScanner.Limits = .init()) -> Bool {
        guard let value = try? parse(bytes, limits: limits), value.members != nil else { return false }
        return value.sorted.encoded == bytes && !hasEscapedName(value)
    }

    private func hasEscapedName(_ value: JSONValue) -> Bool {
        (value.array ?? []).contains(where: hasEscapedName)
            || (value.members ?? []).contains {
                hasEscapedName($0.value) || $0.name.utf8.contains { $0 < 0x20 || $0 == 0x22 || $0 == 0x5c }
            }
    }

    private func outline(_ bytes: [UInt8], limits: JSONScanner.Limits = .init()) -> JSONOutline? {
        JSONOutline(of: bytes.span, limits: limits)
    }

    private static let document =
        #"{"a":[1,-2.5e+7,true,{"é":null,"🔑":"a\n\"\\\u001f"}],"b":{"c":{},"d":"z","e":[[],""]},"x":false}"#

    @Test func `members are told with their places`() throws {
        let bytes = Array(Self.document.utf8)
        let outline = try #require(self.outline(bytes))
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        #expect(outline.members.map { text($0.name) } == ["a", "b", "x"])
        #expect(outline.members.map { text($0.value) }.last == "false")
        #expect(text(outline.members[1].range) == #""b":{"c":{},"d":"z","e":[[],""]}"#)
        #expect(outline.members.map(\.elements) == [4, 0, 0])
        #expect(outline.values == 15)
        let ranges = outline.members.map(\.range)
        func range(of name: StaticString) -> Range<Int>? { outline.member(name, in: bytes.span)?.range }
        func range(after name: StaticString) -> Range<Int>? { outline.member(after: name, in: bytes.span)?.range }
        #expect([range(of: "a"), range(of: "b"), range(of: "x")] == ranges)
        #expect([range(of: ""), range(of: "bb"), range(of: "aa"), range(of: "z")] == [nil, nil, nil, nil])
        #expect([range(after: ""), range(after: "a"), range(after: "bb")] == ranges)
        #expect(range(after: "x") == nil)
    }

    @Test func `every changed byte is judged as scanner and writer do`() throws {
        let document = Array(Self.document.utf8)
        var taken = 0
        for index in document.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = document
                changed[index] = byte
                let isTaken = outline(changed) != nil
                #expect(isTaken == isCanonical(changed), "\(byte) at \(index)")
                taken += isTaken ? 1 : 0
            }
        }
        #expect(taken > 500)
    }

    @Test func `every truncation and every doubled byte is judged so, too`() {
        let document = Array(Self.document.utf8)
        for index in document.indices {
            let cut = Array(document.prefix(index))
            #expect(outline(cut) == nil)
            let doubled = Array(document[...index] + document[index...])
            #expect((outline(doubled) != nil) == isCanonical(doubled), "\(index)")
        }
    }

    @Test(arguments: [
        "", "[]", "1", "null", #""a""#, " {}", "{} ", "{ }", #"{"a": 1}"#, #"{"b":1,"a":2}"#, #"{"a":1,"a":2}"#,
        #"{"a":"\/"}"#, #"{"a":"\b"}"#, #"{"a":"\u0008","b":"\u000A"}"#, #"{"a":"\u000a"}"#, #"{"a":"\u001F"}"#,
        #"{"a":"\u0041"}"#, #"{"a":"\u0000"}"#, #"{"\u0001":1}"#, #"{"a\n":1}"#, #"{"a":01}"#, #"{"a":1,}"#,
        #"{"aa":1,"a":2}"#, #"{"é":1,"z":2}"#, #"{"a":{"b":1,"a":2}}"#, #"{"a":[{"b":1,"a":2}]}"#,
    ]) func `is not canonical`(_ text: String) {
        #expect(outline(Array(text.utf8)) == nil)
        #expect(!isCanonical(Array(text.utf8)))
    }

    @Test func `limits are the scanner's`() {
        for depth in 1..<8 {
            for values in 0..<20 {
                let limits = JSONScanner.Limits(depth: depth, values: values)
                let bytes = Array(Self.document.utf8)
                let isTaken = outline(bytes, limits: limits) != nil
                #expect(isTaken == isCanonical(bytes, limits: limits), "\(depth), \(values)")
            }
        }
        let deep = String(repeating: #"{"a":"#, count: 200_000)
        #expect(outline(Array(deep.utf8)) == nil)
    }
}
