import Encodings
import Testing
import VectorKit

@Suite struct JSONValueTests {
    private func text(_ value: JSONValue) -> String { String(decoding: value.encoded, as: UTF8.self) }

    @Test(
        arguments: [
            (.null, "null"), (true, "true"), (false, "false"), (0, "0"), (-5, "-5"), (.number("1.50"), "1.50"),
            ([], "[]"), ([:], "{}"),
            (["b": 1, "a": [true, nil, "x", [:]]], #"{"b":1,"a":[true,null,"x",{}]}"#),
            (.number(UInt64.max), "18446744073709551615"),
        ] as [(JSONValue, String)]) func `values are written compactly and in their order`(
            _ value: JSONValue, _ expected: String
        )
    {
        #expect(text(value) == expected)
    }

    @Test func `strings are escaped where they must be`() throws {
        #expect(text("a\"b\\c/d") == #""a\"b\\c/d""#)
        #expect(text("\n\r\t\u{8}\u{c}\u{1f}\u{7f}") == "\"\\n\\r\\t\\u0008\\u000c\\u001f\u{7f}\"")
        #expect(text("é🔑\u{2028}") == "\"é🔑\u{2028}\"")
        #expect(text(["\"\n": 1]) == #"{"\"\n":1}"#)
    }

    @Test func `every scalar of the first page comes back`() throws {
        for value in UInt32(1)..<0x3000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let encoded = JSONValue.string("a\(scalar)b").encoded
            let string = try #require(try parse(encoded).string)
            #expect(Array(string.utf8) == Array("a\(scalar)b".utf8))
        }
    }

    @Test(arguments: try Vector.all(in: .safeEncrypt)) func `Safe documents come back byte for byte`(_ vector: Vector)
        throws
    {
        let document = try vector.inputs.bytes("json_utf8_hex")
        #expect(try parse(document).encoded == document)
    }

    @Test func `accessors answer for their own kind only`() throws {
        let values: [JSONValue] = [nil, true, 1, "s", [1], ["a": 1]]
        #expect(values.map(\.bool) == [nil, true, nil, nil, nil, nil])
        #expect(values.map(\.integer) == [nil, nil, 1, nil, nil, nil])
        #expect(values.map(\.string) == [nil, nil, nil, "s", nil, nil])
        #expect(values.map { $0.array?.count } == [nil, nil, nil, nil, 1, nil])
        #expect(values.map { $0.members?.count } == [nil, nil, nil, nil, nil, 1])
        #expect(values.map { $0["a"]?.integer } == [nil, nil, nil, nil, nil, 1])
        #expect(values.map(\.isInteger) == [false, false, true, false, false, false])
    }

    @Test(
        arguments: [
            ("0", 0, true), ("-0", 0, true), ("9223372036854775807", .max, true), ("-9223372036854775808", .min, true),
            ("9223372036854775808", nil, true), ("-9223372036854775809", nil, true), ("1.0", nil, false),
            ("1e2", nil, false),
            ("1E2", nil, false), ("0.0", nil, false), ("123456789012345678901234567890", nil, true),
        ] as [(String, Int64?, Bool)]) func `integers are what is spelled as one`(
            _ literal: String, _ expected: Int64?, _ isInteger: Bool
        ) throws
    {
        let value = try parse(literal)
        #expect(value.integer == expected)
        #expect(value.isInteger == isInteger)
    }

    @Test func `a member is set in place, appended, or removed`() throws {
        let value = try parse(#"{"a":1,"b":2}"#)
        #expect(text(value.setting("a", to: "x")) == #"{"a":"x","b":2}"#)
        #expect(text(value.setting("c", to: 3)) == #"{"a":1,"b":2,"c":3}"#)
        #expect(text(value.setting("a", to: nil)) == #"{"b":2}"#)
        #expect(text(value.setting("a", to: .some(.null))) == #"{"a":null,"b":2}"#)
        #expect(text(value.setting("c", to: nil)) == #"{"a":1,"b":2}"#)
        #expect(text(JSONValue.array([1]).setting("a", to: 1)) == "[1]")
        let names = try parse("{\"\u{e9}\":1,\"e\u{301}\":2}")
        #expect(text(names.setting("e\u{301}", to: nil)).utf8.elementsEqual("{\"\u{e9}\":1}".utf8))
    }

    @Test func `sorting orders names by their bytes, at every level, and nothing else`() throws {
        let value = try parse(#"{"b":[3,1,2],"a":{"d":1,"c":[{"y":1,"x":2}]},"é":1,"z":2,"":0,"aa":1,"B":1}"#)
        #expect(text(value.sorted) == #"{"":0,"B":1,"a":{"c":[{"x":2,"y":1}],"d":1},"aa":1,"b":[3,1,2],"z":2,"é":1}"#)
        #expect(text(value.sorted.sorted) == text(value.sorted))
        // U+10000 sorts behind U+FFFF as UTF-8; as UTF-16 it would not.
        let planes = try parse("{\"\u{10000}\":1,\"\u{ffff}\":2}")
        #expect(planes.sorted.members?.compactMap(\.value.integer) == [2, 1])
    }
}
