import Foundation
import IbexModel
import Testing

/// `Tests/Models/IbexModel` with a few runs; `IBEX_RUNS` sets their number.
@Suite struct RandomRunTests {
    private static let runs = ProcessInfo.processInfo.environment["IBEX_RUNS"].flatMap { Int($0) } ?? 60

    @Test func `whatever goes wrong, each message comes once, no key is used twice, and both sides agree`() throws {
        var count = 0
        for seed in 0..<Self.runs {
            do {
                var run = try RandomRun(seed: UInt64(seed))
                count += try run.run(steps: 100)
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
        #expect(count > 15 * Self.runs)
    }

    @Test func `the checks find keys that a copy uses twice`() {
        var faults = RandomRun.Faults()
        faults.detectsCopies = false
        faults.copyPercent = 10
        let found = (0..<100).contains { seed in
            do {
                var run = try RandomRun(seed: UInt64(seed), faults: faults)
                _ = try run.run(steps: 60)
                return false
            } catch {
                return "\(error)".contains("a key was used for two messages")
            }
        }
        #expect(found)
    }
}
