import Paper
import Testing

struct PrintableTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("René ÿ ¡", "René ÿ ¡"), ("e\u{301}", #"e\u{301}"#),
        ("\u{1f600}", #"\u{1f600}"#), ("שלום", #"\u{5e9}\u{5dc}\u{5d5}\u{5dd}"#), ("a\u{202e}b", #"a\u{202e}b"#),
        ("a\u{a0}b\u{ad}c", #"a\u{a0}b\u{ad}c"#), ("€–", #"\u{20ac}\u{2013}"#),
        ("a\tb\u{7f}\u{85}", #"a\u{9}b\u{7f}\u{85}"#),
        (" a  b ", #"\u{20}a \u{20}b\u{20}"#), ("", ""), (" ", #"\u{20}"#),
        (#"DOM\alice"#, #"DOM\alice"#), (#"\u{41}"#, #"\u{5c}u{41}"#), (#"\\u{"#, #"\\u{5c}u{"#), (#"\u"#, #"\u"#),
    ])
    func whatPaperCannotShowIsSpelled(_ text: String, _ expected: String) {
        #expect(PrintableText(text).text == expected)
    }

    @Test func noTwoTextsAreSpelledAlike() {
        let parts = ["", " ", "a", #"\"#, "u", "{", "}", "5c", "\u{1f600}"]
        var seen: [String: String] = [:]
        for first in parts {
            for second in parts {
                for third in parts {
                    for fourth in parts {
                        let text = first + second + third + fourth
                        let other = seen.updateValue(text, forKey: PrintableText(text).text)
                        #expect(other == nil || other == text, "\(text) and \(other ?? "")")
                    }
                }
            }
        }
    }

    @Test func linesAreTheText() {
        let text = PrintableText("abc\u{1f600}def  g")
        #expect(text.lines(of: 4).map(\.text) == ["abc", #"\u{1f600}"#, "def ", #"\u{20}"#, "g"])
        #expect(text.lines(of: 100) == [text])
        #expect(text.lines(of: 1).map(\.text).joined() == text.text)
        #expect(PrintableText("").lines(of: 5).map(\.text) == [""])
    }
}
