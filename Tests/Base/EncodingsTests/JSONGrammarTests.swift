import Encodings
import Testing

/// RFC 8259's grammar: what is JSON, what is not, and where it stops being.
@Suite struct JSONGrammarTests {
    @Test(
        arguments: [
            ("null", .null), ("true", true), ("false", false), (" \t\r\n null \t\r\n ", .null),
            ("\"\"", ""), ("\"a\"", "a"), ("[]", []), ("{}", [:]), ("[ ]", []), ("{ }", [:]),
            ("[null]", [nil]), ("[1,2]", [1, 2]), ("[ 1 , [ 2 ] , { } ]", [1, [2], [:]]),
            ("{\"a\":1}", ["a": 1]), ("{ \"a\" : { \"b\" : [ ] } , \"\" : null }", ["a": ["b": []], "": nil]),
            ("{\"a\":{\"a\":{\"a\":1}}}", ["a": ["a": ["a": 1]]]),
            ("[true,false,null,\"x\",1.5]", [true, false, nil, "x", .number("1.5")]),
        ] as [(String, JSONValue)]) func `is JSON`(_ text: String, _ value: JSONValue) throws
    {
        #expect(try parse(text) == value)
    }

    @Test(arguments: [
        "0", "-0", "1", "-1", "10", "0.0", "-0.0", "1.0", "1.50", "0e0", "0E+0", "1e5", "1E5", "1e+5", "1e-5",
        "1.5e300",
        "1e400", "-1e-400", "123456789012345678901234567890.123456789012345678901234567890", "1e00005",
    ]) func `a number keeps its spelling`(_ literal: String) throws {
        for text in [literal, " \(literal) "] {
            guard case .number(let read) = try parse(text) else {
                Issue.record("no number: \(text)")
                return
            }
            #expect(read == literal)
        }
        #expect(try parse("[\(literal),{\"a\":\(literal)}]").encoded == Array("[\(literal),{\"a\":\(literal)}]".utf8))
    }

    @Test(arguments: [
        ("", 0), (" ", 1), ("\n\n", 2), ("nul", 3), ("nulL", 3), ("Null", 0), ("NULL", 0), ("tru", 3), ("True", 0),
        ("truefalse", 4), ("null null", 5), ("null,", 4), ("nan", 1), ("NaN", 0), ("Infinity", 0), ("-Infinity", 1),
        ("undefined", 0), ("'a'", 0), ("a", 0), ("\u{feff}null", 0), ("\u{a0}null", 0), ("\u{0b}null", 0),
        ("\u{0c}null", 0),
        ("\u{0}", 0), ("null\u{0}", 4), ("//\nnull", 0), ("null//", 4), ("/**/null", 0), ("#\nnull", 0),
    ]) func `is not JSON`(_ text: String, _ offset: Int) {
        #expect(throws: JSONError.syntax(offset: offset)) { try parse(text) }
    }

    @Test(arguments: [
        ("00", 1), ("01", 1), ("-01", 2), ("-", 1), ("--1", 1), ("+1", 0), (".5", 0), ("-.5", 1), ("1.", 2),
        ("1.e5", 2),
        ("1e", 2), ("1e+", 3), ("1e-", 3), ("1e+-5", 3), ("1e5.5", 3), ("1.5.5", 3), ("0x10", 1), ("1_000", 1),
        ("1 000", 2),
        ("1f", 1), ("1e5e5", 3), ("\u{ff11}", 0), ("-a", 1), ("1,5", 1), ("0b1", 1), ("1n", 1),
    ]) func `is no number`(_ text: String, _ offset: Int) {
        #expect(throws: JSONError.syntax(offset: offset)) { try parse(text) }
    }

    @Test(arguments: [
        ("[", 1), ("[1", 2), ("[1,", 3), ("[1,]", 3), ("[,1]", 1), ("[,]", 1), ("[1,,2]", 3), ("[1 2]", 3), ("]", 0),
        ("[]]", 2),
        ("[1}", 2), ("[[]", 3), ("[1;2]", 2), ("[1:2]", 2), ("[...]", 1),
    ]) func `is no array`(_ text: String, _ offset: Int) {
        #expect(throws: JSONError.syntax(offset: offset)) { try parse(text) }
    }

    @Test(arguments: [
        ("{", 1), ("{\"a\"", 4), ("{\"a\":", 5), ("{\"a\":1", 6), ("{\"a\":1,", 7), ("{\"a\":1,}", 7), ("{,}", 1),
        ("{\"a\" 1}", 5),
        ("{\"a\"}", 4), ("{\"a\":}", 5), ("{:1}", 1), ("{a:1}", 1), ("{'a':1}", 1), ("{1:1}", 1), ("{null:1}", 1),
        ("{[]:1}", 1),
        ("{\"a\"::1}", 5), ("{\"a\":1 \"b\":2}", 7), ("{\"a\":1]", 6), ("{\"a\",1}", 4), ("}", 0), ("{}}", 2),
        ("{\"a\":1;}", 6),
        ("{\"a\"=1}", 4), ("{\"a\":1,,}", 7), ("{\"a\":1,1}", 7),
    ]) func `is no object`(_ text: String, _ offset: Int) {
        #expect(throws: JSONError.syntax(offset: offset)) { try parse(text) }
    }

    @Test(arguments: [
        ("\"", 1), ("\"a", 2), ("\"\\", 2), ("\"\\\"", 3), ("\"\\u", 3), ("\"\\u00", 5), ("\"\\a\"", 1), ("\"\\'\"", 1),
        ("\"\\0\"", 1), ("\"\\x41\"", 1), ("\"\\U0041\"", 1), ("\"\\u004\"", 6), ("\"\\u00g0\"", 5), ("\"\\u +41\"", 3),
        ("\"\\u{41}\"", 3), ("\"a\nb\"", 2), ("\"\t\"", 1), ("\"\r\"", 1), ("\"\u{0}\"", 1), ("\"\u{1f}\"", 1),
        ("\"\u{1b}\"", 1),
        ("\"\\\n\"", 1), ("\"a\"b", 3), ("\"\\u\u{ff11}\u{ff11}\u{ff11}\u{ff11}\"", 3), ("\"\\\u{0}\"", 1),
    ]) func `is no string`(_ text: String, _ offset: Int) {
        #expect(throws: JSONError.syntax(offset: offset)) { try parse(text) }
    }

    @Test func `every truncation of a document is refused`() throws {
        let document = Array(
            ##" {"a" : [1, -2.5e+7, true, false, null, "é\n\u00e9\ud83d\ude00"], "b":{"c":{}}} "##.utf8)
        _ = try parse(document)
        for count in 0..<document.count - 1 {
            let beginning = Array(document.prefix(count))
            #expect(throws: JSONError.self, "\(count)") { try parse(beginning) }
        }
        _ = try parse(Array(document.dropLast()))
    }
}

/// Parses bytes.
func parse(_ bytes: [UInt8], limits: JSONScanner.Limits = .init()) throws -> JSONValue {
    try JSONScanner.parse(bytes.span, limits: limits)
}

/// Parses a text.
func parse(_ text: String, limits: JSONScanner.Limits = .init()) throws -> JSONValue {
    try parse(Array(text.utf8), limits: limits)
}
