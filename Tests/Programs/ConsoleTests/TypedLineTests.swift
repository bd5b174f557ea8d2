import SecureMemory
import Testing

@testable import Console

@Suite struct TypedLineTests {
    private static func line(_ typed: String) -> String {
        var line = SecureBuffer(capacity: 100)
        for byte in typed.utf8 { line.append(typed: byte) }
        let secret = line.finish()
        return secret.revealText()
    }

    @Test(arguments: [
        ("\u{1b}[200~pasted words\u{1b}[201~", "pasted words"), ("a\u{1b}[200~b\u{1b}[201~c", "abc"),
        ("\u{1b}[200~one", "one"), ("two\u{1b}[201~", "two"), ("\u{1b}[200~\u{1b}[201~", ""),
        ("\u{1b}[200~~\u{1b}[201~", "~"), ("\u{1b}[200~\u{1b}[200~x", "x"),
    ])
    func `the marks of a paste are no part of a secret`(_ typed: String, _ secret: String) {
        #expect(Self.line(typed) == secret)
    }

    @Test(arguments: ["", "~", "[200~", "200~", "\u{1b}[D", "\u{1b}[202~", "\u{1b}[20~", "\u{1b}[2001~", "ä\t ~~"])
    func `everything else stays`(_ typed: String) {
        #expect(Self.line(typed) == typed)
    }

    @Test(arguments: ["y", "Y", "yes", "YES", " y ", "\tYes "])
    func `answers that mean yes`(_ line: String) { #expect(YesNoAnswer(line) == YesNoAnswer.yes) }

    @Test(arguments: ["n", "N", "no", "No ", "", "  ", nil])
    func `answers that mean no`(_ line: String?) { #expect(YesNoAnswer(line) == YesNoAnswer.no) }

    @Test(arguments: ["ja", "yy", "y e s", "y n", "\0y", "yes!", "1"])
    func `answers that are neither`(_ line: String) { #expect(YesNoAnswer(line) == nil) }
}
