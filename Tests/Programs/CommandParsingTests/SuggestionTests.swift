import Testing

@testable import CommandParsing

@Suite struct SuggestionTests {
    private static let choice = ["push", "pull", "status", "setup", "id"].map { ($0, $0.uppercased()) }

    @Test(arguments: [
        ("push", ["PUSH"]), ("psuh", ["PUSH"]), ("puhs", ["PUSH"]), ("pus", ["PUSH"]), ("pushh", ["PUSH"]),
        ("statsu", ["STATUS"]), ("staatuss", ["STATUS"]), ("puxh", ["PUSH"]), ("pulsh", ["PUSH"]),
        ("pusl", ["PUSH", "PULL"]),
    ])
    func `what is near`(_ word: String, _ meant: [String]) {
        #expect(Suggestion.nearest(to: word, among: Self.choice) == meant)
    }

    @Test(arguments: ["", "xy", "frobnicate", "pxxh", String(repeating: "push", count: 1000)])
    func `nothing is near`(_ word: String) { #expect(Suggestion.nearest(to: word, among: Self.choice).isEmpty) }

    @Test func `several that are as near`() {
        #expect(Suggestion.nearest(to: "pu", among: [("pus", "1"), ("put", "2"), ("x", "3")]) == ["1", "2"])
    }
}
