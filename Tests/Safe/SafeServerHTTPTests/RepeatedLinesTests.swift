import Testing

@testable import SafeServerHTTP

@Suite struct RepeatedLinesTests {
    @Test func `each line once a minute, with the number of those left out`() {
        var lines = RepeatedLines()
        let written = [(0, "a"), (1, "a"), (2, "b"), (59, "a"), (60, "a"), (61, "a"), (200, "b"), (200, "a")].map {
            lines.line($0.1, at: .seconds($0.0))
        }
        #expect(
            written == [
                "a", nil, "b", nil, "a (2 more since the last such line)", nil, "b",
                "a (1 more since the last such line)",
            ])
    }

    @Test func `only so many different lines are remembered`() {
        var lines = RepeatedLines()
        for number in 0..<1000 { #expect(lines.line("\(number)", at: .milliseconds(number)) != nil) }
        #expect(lines.line("999", at: .seconds(2)) == nil && lines.line("0", at: .seconds(2)) == "0")
        #expect(Mirror(reflecting: lines).children.compactMap { ($0.value as? any Collection)?.count } == [64])
    }
}
