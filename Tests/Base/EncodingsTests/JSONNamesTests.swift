import Encodings
import Foundation
import Testing

/// Names of one object: found to be there twice in whatever order and spelling they come, however many they are.
@Suite struct JSONNamesTests {
    /// An object of these names, written as they are, and the offset of each name's quote.
    private func object(_ names: [String]) -> (text: String, offsets: [Int]) {
        var text = "{"
        var offsets: [Int] = []
        for name in names {
            if text.utf8.count > 1 { text += "," }
            offsets.append(text.utf8.count)
            text += "\"\(name)\":1"
        }
        return (text + "}", offsets)
    }

    private func expectRefused(_ names: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        let (text, offsets) = object(names)
        #expect(throws: JSONError.duplicateName(offset: offsets.last!), sourceLocation: sourceLocation) {
            try parse(text)
        }
        // Nothing that follows is looked at.
        #expect(throws: JSONError.duplicateName(offset: offsets.last!), sourceLocation: sourceLocation) {
            try parse(String(text.dropLast()) + "]")
        }
        #expect(throws: Never.self, sourceLocation: sourceLocation) { try parse(object(names.dropLast()).text) }
    }

    /// 1 to 3 names are few, 15 to 18 around the most that are compared one by one, 100 are many.
    @Test(arguments: [1, 2, 3, 15, 16, 17, 18, 100]) func `each name of an object may not come again`(_ count: Int) {
        let ascending = (0..<count).map { String(format: "name%03d", $0) }
        let orders = [
            ascending, ascending.reversed(), Array(ascending.dropFirst(count / 2) + ascending.prefix(count / 2)),
        ]
        for names in orders {
            for name in names {
                expectRefused(names + [name])
                // Spelled otherwise.
                expectRefused(names + [name.replacing("a", with: #"\u0061"#)])
            }
            let escaped = names.map { $0.replacing("m", with: #"\u006d"#) }
            expectRefused(escaped + [names[0]])
            expectRefused(escaped + [names[count - 1]])
            expectRefused(escaped + [escaped[count / 2]])
        }
    }

    @Test func `a name that begins another one, and canonical equivalents, are others`() throws {
        let names = [
            "", "a", "aa", "b", "ab", "\u{e9}", "e\u{301}", "\u{212b}", "\u{c5}", "A\u{30a}", "k", "\u{212a}", "K",
        ]
        for names in [names, names.reversed()] {
            #expect(try parse(object(names).text).members?.map { Array($0.name.utf8) } == names.map { Array($0.utf8) })
            for name in names { expectRefused(names + [name]) }
        }
    }

    @Test func `objects side by side have names of their own`() throws {
        // Names that share length, first and last letter are told apart, and longer ones than a small string holds.
        let names = [
            "abcd", "abbd", "accd", "typingIndicators", "typingOndicators", "tooLongForASmallString", "\u{fc}ber",
        ]
        let objects = [names, names.reversed(), names + ["x"], names].map { object($0).text }
        let read = try parse("[" + objects.joined(separator: ",") + "]")
        #expect(read.array?.map { $0.members?.map(\.name) } == [names, names.reversed(), names + ["x"], names])
    }

    @Test func `a name that was cut may not come again either`() {
        for (text, offset) in [
            (#"{"b":"x","a":1,"b":2}"#, 15), (#"{"a":1,"b":"x","b":2}"#, 15), (#"{"b":"x","\u0062":2}"#, 9),
            (#"{"c":1,"b":"x","a":1,"b":"y"}"#, 21),
        ] {
            #expect(throws: JSONError.duplicateName(offset: offset)) {
                try JSONScanner.parse(Array(text.utf8).span, cutting: [["b"]])
            }
        }
        let many = (0..<40).reversed().map { "\"n\($0)\":\"x\"" }.joined(separator: ",")
        #expect(throws: JSONError.self) {
            try JSONScanner.parse(Array("{\(many),\"n7\":1}".utf8).span, cutting: [["n7"], ["n39"]])
        }
        #expect(throws: Never.self) {
            try JSONScanner.parse(Array("{\(many),\"m7\":1}".utf8).span, cutting: [["n7"], ["n39"]])
        }
    }

    /// 190,000 names in no order: comparing each with each would take an hour.
    @Test func `many names do not cost their square`() throws {
        let (text, _) = object((0..<190_000).map { "\(($0 * 7919) % 190_000)" })
        let clock = ContinuousClock()
        let time = try clock.measure { _ = try parse(text) }
        #expect(time < .seconds(30))
    }
}
