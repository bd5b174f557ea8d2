import Encodings
import Testing
import VectorKit

@Suite struct JSONStringTests {
    @Test(arguments: [
        (#""\"\\\/\b\f\n\r\t""#, "225c2f080c0a0d09"),
        (#""\u0041\u00e9\u20ac\uFFFD\uffff""#, "41c3a9e282acefbfbdefbfbf"),
        (#""\u0001\u001f\u007f\u0080\u07ff\u0800""#, "011f7fc280dfbfe0a080"),
        (#""\ud83d\udd11\uD83D\uDD11""#, "f09f9491f09f9491"),
        (#""\ud800\udc00\udbff\udfff\ud7ff\ue000""#, "f0908080f48fbfbfed9fbfee8080"),
        (#""\\u0041\\""#, "5c75303034315c"),
        ("\"\u{7f}\u{80}\u{2028}\u{2029}\u{feff}/'\"", "7fc280e280a8e280a9efbbbf2f27"),
        ("\"\u{1f511} e\u{301} \u{e9}\"", "f09f94912065cc8120c3a9"),
    ]) func `a string means these bytes`(_ text: String, _ hex: String) throws {
        let string = try #require(try parse(text).string)
        #expect(Array(string.utf8).hex == hex)
        // The same as a name, and as an element.
        #expect(try parse("{\(text):1}").members?.first.map { Array($0.name.utf8).hex } == hex)
        #expect(try parse("[\(text)]").array?.first?.string.map { Array($0.utf8).hex } == hex)
    }

    @Test(arguments: [
        #""\ud83d""#, #""\ud83dx""#, #""\ud83d\n""#, #""\ud83d\ud83d""#, #""\ud83d\u0041""#, #""\udd11""#,
        #""\udd11\ud83d""#,
        #""\ud800""#, #""\udbff""#, #""\udc00""#, #""\udfff""#, #""\uDFFF""#,
    ]) func `a lone surrogate is no Unicode`(_ text: String) {
        #expect(throws: JSONError.notUnicode(offset: 1)) { try parse(text) }
        #expect(throws: JSONError.notUnicode(offset: 2)) { try parse("{\(text):1}") }
    }

    @Test(
        arguments: [
            (#""\ud83d"#, .notUnicode(offset: 1)), (#""\ud83d\"#, .notUnicode(offset: 1)),
            (#""\ud83d\u"#, .syntax(offset: 9)),
            (#""\ud83d\udd1""#, .syntax(offset: 12)), (#""\ud83d\uzzzz""#, .syntax(offset: 9)),
            (#""ab\ud83d""#, .notUnicode(offset: 3)),
        ] as [(String, JSONError)]) func `half of a pair is refused where it begins or ends`(
            _ text: String, _ error: JSONError
        )
    {
        #expect(throws: error) { try parse(text) }
    }

    @Test func `U+0000 is refused, raw and escaped`() {
        #expect(throws: JSONError.syntax(offset: 2)) { try parse("\"a\u{0}b\"") }
        #expect(throws: JSONError.notUnicode(offset: 2)) { try parse(#""a\u0000b""#) }
        #expect(throws: JSONError.notUnicode(offset: 2)) { try parse(#"{"\u0000":1}"#) }
    }

    @Test func `every control character is refused raw and read escaped`() throws {
        for byte in UInt8(1)..<0x20 {
            #expect(throws: JSONError.syntax(offset: 1)) { try parse([0x22, byte, 0x22]) }
            let string = try parse("\"\\u00\([byte].hex)\"").string
            #expect(string.map { Array($0.utf8) } == [byte])
        }
    }

    @Test(arguments: [
        // overlong
        "c080", "c0af", "c1bf", "e08080", "e080af", "e09fbf", "f0808080", "f08fbfbf", "f8888080af", "fc848080af80",
        // surrogates, also as a pair, and beyond U+10FFFF
        "eda080", "edbfbf", "eda0bdedb491", "f4908080", "f7bfbfbf", "f5808080",
        // stray and missing continuations
        "80", "bf", "c3", "c328", "e282", "e28228", "e228a1", "f09f94", "f0288cbc", "f09f9428", "c3c3a9", "e2e282ac",
        // never in UTF-8
        "fe", "ff", "feff", "fffe",
    ]) func `invalid UTF-8 is refused in values and names`(_ hex: String) {
        let bytes = [UInt8](hex: hex)!
        let quoted = [0x22] + bytes + [0x22]
        #expect(throws: JSONError.notUnicode(offset: 0)) { try parse(quoted) }
        #expect(throws: JSONError.notUnicode(offset: 1)) { try parse(Array("{".utf8) + quoted + Array(":1}".utf8)) }
        #expect(throws: JSONError.notUnicode(offset: 5)) { try parse(Array("{\"a\":".utf8) + quoted + Array("}".utf8)) }
        // Outside of a string it is not even that.
        #expect(throws: JSONError.syntax(offset: 0)) { try parse(bytes) }
        #expect(throws: JSONError.syntax(offset: 2)) { try parse(Array("{}".utf8) + bytes) }
    }

    @Test(arguments: [
        (#"{"a":1,"a":1}"#, 7), (#"{"a":1, "\u0061":2}"#, 8), (#"{"\u0061":1,"a":2}"#, 12),
        (#"{"a":1,"b":2,"a":3}"#, 13),
        (#"{"":1,"":2}"#, 6), (#"{"/":1,"\/":2}"#, 7), (#"{"\ud83d\udd11":1,"🔑":2}"#, 18),
        (#"{"a":{"b":1,"b":2}}"#, 12),
        (#"[{},{"a":1,"a":2}]"#, 11),
    ]) func `a name twice is refused`(_ text: String, _ offset: Int) {
        #expect(throws: JSONError.duplicateName(offset: offset)) { try parse(text) }
    }

    @Test func `the same name in other objects is not twice`() throws {
        let value = try parse(#"{"a":{"a":{"b":1}},"b":{"a":1},"c":[{"a":1},{"a":2}]}"#)
        #expect(value["a"]?["a"]?["b"]?.integer == 1)
        #expect(value["b"]?["a"]?.integer == 1)
    }

    @Test func `composed and decomposed are two names`() throws {
        let value = try parse("{\"\u{e9}\":1,\"e\u{301}\":2,\"E\":3,\"e\":4}")
        #expect(value.members?.count == 4)
        #expect(value["\u{e9}"]?.integer == 1)
        #expect(value["e\u{301}"]?.integer == 2)
        #expect(value["E"]?.integer == 3)
        #expect(value.encoded == Array("{\"\u{e9}\":1,\"e\u{301}\":2,\"E\":3,\"e\":4}".utf8))
    }
}

/// A run of plain characters, and what ends it.
@Suite struct JSONRunTests {
    private let runs = ["", "a", "abcdefg", "abcdefgh", "abcdefghijklmno", "abcdefghijklmnop", "é", "abcdefgé", "🔑abc"]

    @Test func `an escape may stand anywhere in a run`() throws {
        for before in runs {
            for after in runs {
                for (escape, meaning) in [(#"\n"#, "\n"), (#"\""#, "\""), (#"\\"#, "\\"), (#"\u00e9"#, "é")] {
                    let text = "\"\(before)\(escape)\(after)\""
                    let expected = Array((before + meaning + after).utf8)
                    #expect(try parse(text).string.map { Array($0.utf8) } == expected)
                    #expect(try parse("{\(text):1}").members?.first.map { Array($0.name.utf8) } == expected)
                }
            }
        }
    }

    @Test func `a control character ends a run where it stands`() {
        for run in runs {
            for escape in ["", #"\n"#] {
                let text = Array("\"\(run)\(escape)".utf8)
                for byte in [0x00, 0x0a, 0x1f] as [UInt8] {
                    #expect(throws: JSONError.syntax(offset: text.count)) {
                        try parse(text + [byte] + Array("a\"".utf8))
                    }
                }
                #expect(throws: JSONError.syntax(offset: text.count)) { try parse(text) }
                #expect(throws: JSONError.syntax(offset: text.count + 1)) { try parse([0x5b] + text) }
            }
        }
    }

    @Test func `bytes that are no UTF-8 are refused at every place`() {
        let invalid: [[UInt8]] = [
            [0x80], [0xbf], [0xc0, 0x80], [0xc1, 0xbf], [0xc3], [0xe2, 0x82], [0xe0, 0x80, 0x80], [0xed, 0xa0, 0x80],
            [0xf0, 0x9f, 0x94], [0xf0, 0x80, 0x80, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xf5], [0xff],
        ]
        let text = Array("abcdefghijklmnopqrstuvwxyz".utf8)
        for bytes in invalid {
            for index in 0...text.count {
                for escape in [[], Array(#"\t"#.utf8)] {
                    let string = [0x22] + text[..<index] + bytes + text[index...] + escape + [0x22]
                    #expect(throws: JSONError.notUnicode(offset: 0)) { try parse(Array(string)) }
                    #expect(throws: JSONError.notUnicode(offset: 1)) { try parse([0x7b] + string + Array(":1}".utf8)) }
                    // The grammar comes first: an open string is no string.
                    #expect(throws: JSONError.syntax(offset: string.count - 1)) { try parse(Array(string.dropLast())) }
                }
            }
        }
    }
}
