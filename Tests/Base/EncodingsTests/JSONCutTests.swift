import Encodings
import SecureMemory
import Testing
import VectorKit

/// A string that leaves the document before it becomes a `String`.
@Suite struct JSONCutTests {
    private let path = ["user", "privatekey"]

    /// The document without the string, and the string's text.
    private func cut(
        _ text: String, at path: [String], limits: JSONScanner.Limits = .init()
    ) throws -> (rest: String, secret: [UInt8]?) {
        let bytes = Array(text.utf8)
        let (value, ranges) = try JSONScanner.parse(bytes.span, cutting: [path], limits: limits)
        let rest = String(decoding: value.encoded, as: UTF8.self)
        guard let range = ranges[0] else { return (rest, nil) }
        return (rest, try JSONScanner.unescape(range, of: bytes.span).copied)
    }

    @Test(arguments: [
        (
            #"{"user":{"a":"AQ","privatekey":"Ag","links":[]},"top":"Aw"}"#, #"{"user":{"links":[]}}"#,
            ["Ag", "AQ", "Aw"]
        ),
        (#"{"top":"Aw","user":{"privatekey":"Ag","a":null}}"#, #"{"user":{"a":null}}"#, ["Ag", nil, "Aw"]),
        (#"{"user":{"a":"AQ"}}"#, #"{"user":{}}"#, [nil, "AQ", nil]),
        (#"{"top":{"a":"AQ"},"user":"a"}"#, #"{"top":{"a":"AQ"},"user":"a"}"#, [nil, nil, nil]),
        (#"{"user":{"user":{"a":"AQ"},"top":"Aw"}}"#, #"{"user":{"user":{"a":"AQ"},"top":"Aw"}}"#, [nil, nil, nil]),
    ]) func `several strings are cut at once`(_ text: String, _ rest: String, _ secrets: [String?]) throws {
        let bytes = Array(text.utf8)
        let (value, ranges) = try JSONScanner.parse(bytes.span, cutting: [path, ["user", "a"], ["top"]])
        #expect(String(decoding: value.encoded, as: UTF8.self) == rest)
        let found = try ranges.map { range in
            try range.map { String(decoding: try JSONScanner.unescape($0, of: bytes.span).copied, as: UTF8.self) }
        }
        #expect(found == secrets)
    }

    @Test(arguments: [
        (#"{"user":{"privatekey":"AQID"}}"#, #"{"user":{}}"#, "AQID"),
        (
            #"{"info":{"version":1},"user":{"nickname":"n","privatekey":"AQID","links":[]},"x":2}"#,
            #"{"info":{"version":1},"user":{"nickname":"n","links":[]},"x":2}"#, "AQID"
        ),
        (#" { "user" : { "privatekey" : "AQID" , "a" : 1 } } "#, #"{"user":{"a":1}}"#, "AQID"),
        (#"{"user":{"privatekey":""}}"#, #"{"user":{}}"#, ""),
        (#"{"user":{"privatekey":"A\/B\/\/C+="}}"#, #"{"user":{}}"#, "A/B//C+="),
        (#"{"user":{"privatekey":"\u0041\u00e9\ud83d\udd11\n\"\\"}}"#, #"{"user":{}}"#, "Aé🔑\n\"\\"),
        (#"{"user":{"private\u006bey":"AQID"}}"#, #"{"user":{}}"#, "AQID"),
        (#"{"\u0075\u0073\u0065\u0072":{"\u0070rivatekey":"AQID"}}"#, #"{"user":{}}"#, "AQID"),
    ]) func `the string at the path is cut`(_ text: String, _ rest: String, _ secret: String) throws {
        let result = try cut(text, at: path)
        #expect(result.rest == rest)
        #expect(result.secret == Array(secret.utf8))
    }

    /// A text of these characters in every length up to nine, and long ones with many escapes.
    @Test func `escapes in any place are decoded as in strings that stay`() throws {
        var texts = [""]
        var longer = texts
        for _ in 0..<9 {
            longer = longer.flatMap { text in ["A", #"\/"#].map { text + $0 } }
            texts += longer
        }
        for step in 1..<40 {
            texts.append((0..<600).map { $0 * 7 % step == 0 ? #"\\"# : $0 % 5 == 0 ? #"\/"# : #"\""# }.joined())
            texts.append((0..<600).map { $0 % step == 0 ? #"\/"# : "b" }.joined())
        }
        for text in texts {
            let document = #"{"user":{"privatekey":"\#(text)","a":"\#(text)"}}"#
            let bytes = Array(document.utf8)
            let kept = try #require(try JSONScanner.parse(bytes.span)["user"]?["a"]?.string)
            #expect(try cut(document, at: path).secret == Array(kept.utf8))
        }
    }

    @Test(arguments: [
        #"{}"#, #"[]"#, #""privatekey""#, #"{"privatekey":"AQID"}"#, #"{"user":"privatekey"}"#,
        #"{"user":["privatekey"]}"#,
        #"{"user":null}"#, #"{"User":{"privatekey":"AQID"}}"#, #"{"user":{"privateKey":"AQID"}}"#,
        #"{"user":{"user":{"privatekey":"AQID"}}}"#, #"{"a":{"user":{"privatekey":"AQID"}}}"#,
        #"{"a":{"privatekey":"AQID"}}"#,
        #"{"user":{"a":{"privatekey":"AQID"}}}"#, #"[{"privatekey":"AQID"}]"#, #"{"user":[{"privatekey":"AQID"}]}"#,
        #"[{"user":{"privatekey":"AQID"}}]"#,
    ]) func `elsewhere nothing is cut`(_ text: String) throws {
        let result = try cut(text, at: path)
        #expect(result.rest == text)
        #expect(result.secret == nil)
    }

    @Test(arguments: ["null", "1", "true", #"["AQID"]"#, #"{"privatekey":"AQID"}"#, "{}", "[]"])
    func `what is no string is not cut`(_ value: String) throws {
        let text = #"{"user":{"privatekey":\#(value),"a":"b"}}"#
        let result = try cut(text, at: path)
        #expect(result.rest == text)
        #expect(result.secret == nil)
    }

    @Test(arguments: [
        (#"{"user":{"privatekey":"A","privatekey":"B"}}"#, 26),
        (#"{"user":{"privatekey":"A","\u0070rivatekey":1}}"#, 26),
        (#"{"user":{"privatekey":1,"privatekey":"B"}}"#, 24),
        (#"{"user":{"privatekey":"A"},"user":{"privatekey":"B"}}"#, 27),
    ]) func `a name twice is refused`(_ text: String, _ offset: Int) {
        #expect(throws: JSONError.duplicateName(offset: offset)) { try cut(text, at: path) }
    }

    @Test(arguments: [
        #"{"user":{"privatekey":"A"#, #"{"user":{"privatekey":"A"}"#, #"{"user":{"privatekey":"A"}}}"#,
        #"{"user":{"privatekey":"A" "a":1}}"#,
        #"{"user":{"privatekey":"\x"}}"#, #"{"user":{"privatekey":"\u12"}}"#, "{\"user\":{\"privatekey\":\"A\nB\"}}",
    ]) func `a string that is cut is still JSON`(_ text: String) {
        #expect(throws: JSONError.self) { try cut(text, at: path) }
    }

    @Test(arguments: [#"\ud83d"#, #"\udd11"#, #"\u0000"#]) func `a string that is cut is still Unicode`(
        _ escape: String
    ) {
        #expect(throws: JSONError.notUnicode(offset: 23)) {
            try cut(#"{"user":{"privatekey":"\#(escape)"}}"#, at: path)
        }
    }

    @Test func `every truncation is refused`() {
        let text = #"{"user":{"privatekey":"A\/B\u0041","a":1}}"#
        for count in 0..<text.count {
            #expect(throws: JSONError.self) { try cut(String(text.prefix(count)), at: path) }
        }
    }

    @Test func `a path may be one name, or none`() throws {
        let one = try cut(#"{"a":"b","c":"d"}"#, at: ["c"])
        #expect(one.rest == #"{"a":"b"}"#)
        #expect(one.secret == Array("d".utf8))
        let none = try cut(#""b""#, at: [])
        #expect(none.rest == #""b""#)
        #expect(none.secret == nil)
    }

    @Test(arguments: [
        (#"{"a":[{"k":"x","n":1},{"n":2,"k":"y"}],"k":"z"}"#, #"{"a":[{"n":1},{"n":2}],"k":"z"}"#, ["x", "y"]),
        (#"{"a":[{"n":1},{"k":"x"}]}"#, #"{"a":[{"n":1},{}]}"#, ["x"]),
        (#"{"a":[]}"#, #"{"a":[]}"#, []),
        (#"{"a":{"k":"x"}}"#, #"{"a":{"k":"x"}}"#, []),
        (#"{"a":[[{"k":"x"}]]}"#, #"{"a":[[{"k":"x"}]]}"#, []),
        (#"{"a":[{"k":["x"]},{"k":1},"x"]}"#, #"{"a":[{"k":["x"]},{"k":1},"x"]}"#, []),
        (#"[{"k":"x"}]"#, #"[{"k":"x"}]"#, []),
    ]) func `strings in the elements of an array are cut`(_ text: String, _ rest: String, _ secrets: [String]) throws {
        let bytes = Array(text.utf8)
        let (value, cuts) = try JSONScanner.parse(
            bytes.span, cuttingEach: [["a", JSONScanner.eachElement, "k"]])
        #expect(String(decoding: value.encoded, as: UTF8.self) == rest)
        #expect(cuts.count == 1 && cuts[0].map { String(decoding: bytes[$0], as: UTF8.self) } == secrets)
    }

    @Test func `a member cannot be called as the elements of an array are`() {
        for text in [#"{"a":{"\u0000":{"k":"x"}}}"#, "{\"a\":{\"\0\":{\"k\":\"x\"}}}"] {
            let bytes = Array(text.utf8)
            #expect(throws: JSONError.self) {
                try JSONScanner.parse(bytes.span, cuttingEach: [["a", JSONScanner.eachElement, "k"]])
            }
        }
    }

    @Test func `the published document`() throws {
        let text = try Vector.named("safe-json-ios-load", in: .safeJSON).inputs.string("json")
        let result = try cut(text, at: path)
        #expect(result.secret == Array("key123".utf8))
        #expect(result.rest == text.replacing(#""privatekey":"key123","#, with: ""))
    }
}
