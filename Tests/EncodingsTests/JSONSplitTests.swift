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
        let (bytes, offset) = try parse(text).encoded(splitting: path)
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
        let document = Array(bytes[..<offset] + Array("AQID".utf8) + bytes[offset...])
        let filled = try parse(document)
        #expect(filled["user"]?["privatekey"]?.string == "AQID")
        // What the scanner cuts is what was put in, and the rest is the document.
        let (rest, cut) = try JSONScanner.parse(document.span, cutting: path)
        #expect(cut == offset..<offset + 4)
        let user = try parse(text)["user"] ?? [:]
        #expect(rest.encoded == (try parse(text)).setting("user", to: user).sorted.encoded)
    }

    @Test func `a path of one name`() throws {
        let (bytes, offset) = try parse(#"{"b":1}"#).encoded(splitting: ["a"])
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"a":"","b":1}"#)
        #expect(offset == 6)
    }

    @Test(arguments: [#"{"user":null}"#, #"{"user":[]}"#, #"{"user":"x"}"#, "[]", "1"])
    func `a path through something else than objects ends the process`(_ text: String) async {
        await #expect(processExitsWith: .failure) { [text = text as String] in
            _ = try parse(text).encoded(splitting: ["user", "privatekey"])
        }
    }
}
