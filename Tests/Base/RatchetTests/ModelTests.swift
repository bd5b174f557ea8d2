import Ratchet
import RatchetModel
import Testing

/// Short forms of the runs of `make model`, and what each mistake leads to.
@Suite struct ModelTests {
    @Test(arguments: RatchetSuite.forRuns) func `random events`(_ suite: RatchetSuite) throws {
        var run = try RandomRun(suite, seed: UInt64(suite.id))
        try run.run(events: 3000)
        #expect(run.counts.opened > 300 && run.counts.duplicates > 10 && run.counts.tampered > 100)
    }

    @Test(arguments: RandomRun.Fault.allCases) func `a mistake is found`(_ fault: RandomRun.Fault) {
        let expected = [
            RandomRun.Fault.sendsBeforeStoring: "a key has sealed two messages",
            .ignoresCopies: "a key has sealed two messages",
            .storesSeparately: "a message was opened twice",
            .forgetsToStore: "a message was opened twice",
            .skipsAuthentication: "a changed message was opened",
        ]
        let error = #expect(throws: Violation.self) {
            var run = try RandomRun(.plain, seed: 1, fault: fault)
            try run.run(events: 20_000)
        }
        #expect(error?.description == expected[fault])
    }

    @Test func `all orders of steps of a group`() throws {
        let report = try GroupSearch.breadthFirst(try GroupModel(), depth: 3)
        #expect(report.depth == 3 && report.states > 500)
        for seed in 0..<5 as Range<UInt64> {
            let steps = try GroupSearch.random(
                try GroupModel(maxChanges: 12, maxSealed: 15), seed: seed, steps: 150)
            #expect(steps > 100)
        }
    }

    @Test(arguments: GroupModel.Fault.allCases) func `a mistake in a group is found`(
        _ fault: GroupModel.Fault
    ) throws {
        let model = try GroupModel(fault: fault, maxChanges: 12, maxSealed: 15)
        let error = #expect(throws: Violation.self) {
            for seed in 0..<200 as Range<UInt64> { _ = try GroupSearch.random(model, seed: seed, steps: 150) }
        }
        let words = fault == .keepsChain ? "opens what was sent after it had left" : "misses a message of"
        #expect(error?.description.contains(words) == true)
    }
}
