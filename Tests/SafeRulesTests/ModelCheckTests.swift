import SafeModel
import SafeRules
import Testing

/// The real machine in the world of the model. `safe-model` walks farther; these are the walks of a moment.
@Suite struct ModelCheckTests {
    private static let clauses: [Clauses] = [
        .judgesOldPlace, .provesPlaces, .pushesBesideStuckChange, .remembersFindings, .judgesAbortedPlace,
        .readsAfterDeletion, .endsDeletionWithProcess,
    ]

    private func violations(_ explorer: Explorer) -> String {
        explorer.violations.prefix(3).map { "\($0.words): \($0.trace.joined(separator: "; "))" }.joined(separator: "\n")
    }

    @Test(arguments: clauses) func `without a clause something does not hold, and with it it does`(_ clause: Clauses) {
        let scenario = Scenario.showing(clause)
        var with = scenario.explorer()
        with.explore(from: scenario.start, depth: scenario.depth)
        #expect(with.violations.isEmpty, "\(violations(with))")
        #expect(with.states > 3)
        // That an old place is judged by what is known of it keeps the only backup, too, if both addresses are one place:
        // the proof is the second of two walls.
        let taken: Clauses = clause == .provesPlaces ? [.provesPlaces, .judgesOldPlace] : clause
        var without = scenario.explorer(clauses: Clauses.all.subtracting(taken))
        without.explore(from: scenario.start, depth: scenario.depth, stopsAtViolation: true)
        #expect(!without.violations.isEmpty)
    }

    @Test func `the clauses are all there are`() {
        #expect(Self.clauses.reduce(into: Clauses()) { $0.formUnion($1) } == .all)
    }

    private static let focused = Scenario.all.filter { $0.depth == 6 && $0.maxFaults > 0 }

    @Test(arguments: focused) func `every sequence of two holds, with faults at any request`(_ scenario: Scenario) {
        var explorer = scenario.explorer()
        explorer.explore(from: scenario.start, depth: 2, stopsAtViolation: true)
        #expect(explorer.violations.isEmpty, "\(violations(explorer))")
        #expect(explorer.isComplete && explorer.states > 20)
    }
}
