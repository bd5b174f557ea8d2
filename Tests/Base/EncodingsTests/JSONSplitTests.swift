import Encodings
import Testing
import VectorKit

/// A document that is written around a string which never becomes part of it.
@Suite struct JSONSplitTests {
    private let path = ["user", "privatekey"]

    @Test(arguments: [
        (#"{}"#, #"{"user":{"privatekey":""}}"#), (#"{"user":{}}"#, #"{"user":{"privatekey":""}}"#),
        (
            #"{"z":1,"user":{"nickname":"n","z":[{"privatekey":"x"}]},"a":"user"}"#,
            #"{"a":"user","user":{"nickname":"n","privatekey":"","z":[{"privatekey":"x"}]},"z":1}"#
        ),
        (
            #"{"privatekey":"","user":{"user":{"privatekey":""}}}"#,
            #"{"privatekey":"","user":{"privatekey":"","user":{"privatekey":""}}}"#
        ),
        (#"{"a":"\"é\\","user":{}}"#, #"{"a":"\"é\\","user":{"privatekey":""}}"#),
    ]) func `a place is left between the quotes`(_ text: String, _ expected: String) throws {
        let (bytes, offsets) = try parse(text).encoded(splitting: [path])
        let offset = offsets[0]
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
        let document = Array(bytes[..<offset] + Array("AQID".utf8) + bytes[offset...])
        let filled = try parse(document)
        #expect(filled["user"]?["privatekey"]?.string == "AQID")
        // What the scanner cuts is what was put in, and the rest is the document.
        let (rest, cuts) = try JSONScanner.parse(document.span, cutting: [path])
        #expect(cuts == [offset..<offset + 4])
        let user = try parse(text)["user"] ?? [:]
        #expect(rest.encoded == (try parse(text)).setting("user", to: user).sorted.encoded)
    }

    @Test func `a path of one name`() throws {
        let (bytes, offsets) = try parse(#"{"b":1}"#).encoded(splitting: [["a"]])
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"a":"","b":1}"#)
        #expect(offsets == [6])
    }

    @Test func `several paths, or none`() throws {
        let value = try parse(#"{"b":1,"user":{"m":"m"}}"#)
        let (bytes, offsets) = value.encoded(splitting: [["user", "z"], ["c"], ["user", "a"]])
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"b":1,"c":"","user":{"a":"","m":"m","z":""}}"#)
        #expect(offsets == [42, 12, 27])
        let (whole, none) = value.encoded(splitting: [])
        #expect(whole == value.sorted.encoded)
        #expect(none.isEmpty)
    }

    @Test(arguments: [#"{"user":null}"#, #"{"user":[]}"#, #"{"user":"x"}"#, "[]", "1"])
    func `a path through something else than objects ends the process`(_ text: String) async {
        await #expect(processExitsWith: .failure) { [text = text as String] in
            _ = try parse(text).encoded(splitting: [["user", "privatekey"]])
        }
    }
}
