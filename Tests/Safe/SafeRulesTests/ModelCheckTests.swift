import SafeModel
import SafeRules
import Testing

/// The real machine in the world of the model, on short walks: `safe-model` has the long ones.
@Suite struct ModelCheckTests {
    private func violations(_ explorer: Explorer) -> String {
        explorer.violations.prefix(3).map { "\($0.words): \($0.trace.joined(separator: "; "))" }.joined(separator: "\n")
    }

    @Test func `the clauses that the model takes out one at a time are all there are`() {
        #expect(Scenario.clauses.reduce(into: Clauses()) { $0.formUnion($1) } == .all)
    }

    private static let short = Scenario.all.filter { $0.depth == 6 && $0.maxFaults > 0 }

    @Test(arguments: short) func `every sequence of one verb holds, with faults at any request`(_ scenario: Scenario) {
        var explorer = scenario.explorer()
        explorer.explore(from: scenario.start, depth: 1, stopsAtViolation: true)
        #expect(explorer.violations.isEmpty, "\(violations(explorer))")
        #expect(explorer.isComplete && explorer.states > 5)
    }

    @Test func `a rule without memory of what was found breaks its promise`() {
        let scenario = Scenario.showing(.remembersFindings)
        var explorer = scenario.explorer(clauses: Clauses.all.subtracting(.remembersFindings))
        explorer.explore(from: scenario.start, depth: scenario.depth, stopsAtViolation: true)
        #expect(!explorer.violations.isEmpty)
    }
}
