import Encodings
import Testing

@testable import Console

/// How lengths of time, sizes and lines are written and read.
@Suite struct WordsTests {
    @Test(arguments: [
        ("0s", 0), ("30s", 30), ("10m", 600), ("24h", 86_400), ("3d", 259_200), ("1000000s", 1_000_000),
    ])
    func `a length of time`(_ text: String, _ seconds: Int) {
        #expect(TimeSpan(argument: text)?.duration == .seconds(seconds))
        #expect(TimeSpan(argument: text)?.defaultValueDescription == text)
    }

    @Test(arguments: ["", "s", "30", "-1s", "1.5h", "1 h", "1w", "1000001s", "1h5m", "99999999999999999999s"])
    func `no length of time`(_ text: String) { #expect(TimeSpan(argument: text) == nil) }

    @Test(arguments: [
        (0, "0s"), (1, "1s"), (999, "1s"), (1000, "1s"), (1001, "2s"), (60_000, "1m 0s"), (3_930_000, "1h 5m 30s"),
        (86_400_000, "1d 0s"), (90_061_000, "1d 1h 1m 1s"),
    ])
    func `time to wait`(_ milliseconds: Int, _ words: String) {
        #expect(Sleep.words(.milliseconds(milliseconds)) == words)
    }

    @Test(arguments: [
        (0, "0 bytes"), (1023, "1023 bytes"), (1024, "1 KiB"), (1536, "1.5 KiB"), (524_288, "512 KiB"),
        (1_048_576, "1 MiB"), (1_100_000, "1 MiB"), (1_200_000, "1.1 MiB"),
    ])
    func `a size`(_ bytes: Int, _ words: String) { #expect(ByteCount.text(bytes) == words) }

    @Test func `lines break between words`() {
        #expect(WrappedWords.lines("one two three", columns: nil) == "one two three")
        #expect(WrappedWords.lines("one two three", columns: 13) == "one two three")
        #expect(WrappedWords.lines("one two three", columns: 9) == "one two\n  three")
        #expect(WrappedWords.lines("a verylongword b", columns: 6) == "a\n  verylongword\n  b")
    }

    @Test func `a sequence that sets a colour takes no room`() {
        let word = "\u{1b}[1mbold\u{1b}[0m"
        #expect(WrappedWords.lines("a \(word) b", columns: 8) == "a \(word) b")
        #expect(WrappedWords.lines("a \(word) b", columns: 6) == "a \(word)\n  b")
        #expect(WrappedWords.lines("a   b", columns: 3) == "a\n  b")
    }

    @Test func `control and format characters are shown`() {
        #expect(VisibleText.shown("\u{1b}[2J\r\na\u{202e}b é 🔑") == "<U+001B>[2J<U+000D><U+000A>a<U+202E>b é 🔑")
        #expect(VisibleText.shown("\u{7f}\u{9b}\u{e0001}") == "<U+007F><U+009B><U+E0001>")
        #expect(VisibleText.line("a\r\nb\u{202e}") == "a\r<U+000A>b\u{202e}")
    }

    @Test func `long text from elsewhere is cut`() {
        let long = String(repeating: "x", count: 1000).printable
        #expect(long.unicodeScalars.count == 80 && long.hasSuffix("x…"))
        #expect(String(repeating: "x", count: 80).printable == String(repeating: "x", count: 80))
    }
}
