import SafeModel
import SafeRules
import Testing

/// The real machine in the world of the model, on short walks: `safe-model` has the long ones.
@Suite struct ModelCheckTests {
    private func violations(_ explorer: Explorer) -> String {
        explorer.violations.prefix(3).map { "\($0.words): \($0.trace.joined(separator: "; "))" }.joined(separator: "\n")
    }

    private static let short = Scenario.all.filter { $0.depth == 6 && $0.maxFaults > 0 }

    @Test(arguments: short) func `every sequence of one verb holds, with faults at any request`(_ scenario: Scenario) {
        var explorer = scenario.explorer
        explorer.explore(from: scenario.start, depth: 1, stopsAtViolation: true)
        #expect(explorer.violations.isEmpty, "\(violations(explorer))")
        #expect(explorer.isComplete && explorer.states > 5)
    }

    @Test(arguments: Scenario.parts) func `every part of the rule is tried where its absence shows`(
        _ scenario: Scenario
    ) {
        var explorer = scenario.explorer
        explorer.explore(from: scenario.start, depth: scenario.depth, stopsAtViolation: true)
        #expect(explorer.violations.isEmpty, "\(violations(explorer))")
        #expect(explorer.isComplete && explorer.states > 3)
    }
}
