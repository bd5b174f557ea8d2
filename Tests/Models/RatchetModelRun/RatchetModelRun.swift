import Foundation
import Ratchet
import RatchetModel

/// Random runs of two sides, for every suite, and the search through all orders of steps of a group.
///
///     ratchet-model random EVENTS [SEED]
///     ratchet-model groups SECONDS [DEPTH] all orders of steps of a group, breadth first, from its start and from
///                                          later states, then random ones
///     ratchet-model speed MESSAGES         messages a second, and how many the primitives alone would allow
///     ratchet-model faults EVENTS          both with each mistake of a caller, which has to be found
@main
struct RatchetModelRun {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let number = arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
        let seed = arguments.dropFirst(2).first.flatMap { Int($0) } ?? 0
        switch arguments.first {
        case "random": random(number, seed)
        case "groups": try groups(Double(number), seed == 0 ? 100 : seed)
        case "speed": try Speed.measure(number)
        case "faults": try faults(number)
        default:
            print("usage: ratchet-model random EVENTS [SEED] | groups SECONDS [DEPTH] | speed MESSAGES | faults EVENTS")
            exit(64)
        }
    }

    private static func random(_ events: Int, _ seed: Int) {
        for suite in RatchetSuite.forRuns {
            let start = Date()
            do {
                var run = try RandomRun(suite, seed: UInt64(seed))
                try run.run(events: events / RatchetSuite.forRuns.count)
                let counts = run.counts
                print(
                    "suite \(suite.id): \(counts.events) events, \(counts.sealed) sealed, \(counts.opened) opened, "
                        + "\(counts.duplicates) duplicates, \(counts.beyondLimits) beyond limits, "
                        + "\(counts.tampered) changed, \(counts.crashes) crashes, \(counts.restored) restored, "
                        + "\(counts.sessions) sessions, \(Int(Date().timeIntervalSince(start) * 1000)) ms")
            } catch {
                print("suite \(suite.id), seed \(seed): \(error)")
                exit(1)
            }
        }
    }

    private static func groups(_ seconds: Double, _ depth: Int) throws {
        let start = Date()
        func isPast(_ part: Double) -> Bool { Date().timeIntervalSince(start) > seconds * part }
        do {
            let report = try GroupSearch.breadthFirst(try GroupModel(), depth: depth) { isPast(0.4) }
            print("depth \(report.depth), \(report.states) states, \(report.steps) steps")
            let model = try GroupModel(maxChanges: 12, maxSealed: 15)
            let later = try GroupSearch.breadthFirst(afterRandomStepsFrom: model, depth: 3) { isPast(0.7) }
            print(
                "depth \(later.report.depth) from \(later.starts) later states: \(later.report.states) states, "
                    + "\(later.report.steps) steps")
            var (runs, steps) = (0, 0)
            while !isPast(1) {
                steps += try GroupSearch.random(model, seed: UInt64(runs), steps: 150)
                runs += 1
            }
            print("\(runs) random runs, \(steps) steps")
        } catch {
            print(error)
            exit(1)
        }
    }

    private static func faults(_ events: Int) throws {
        var missed = 0
        for fault in RandomRun.Fault.allCases {
            for suite in RatchetSuite.forRuns {
                do {
                    var run = try RandomRun(suite, seed: 1, fault: fault)
                    try run.run(events: events)
                    print("\(fault), suite \(suite.id): not found")
                    missed += 1
                } catch {
                    print("\(fault), suite \(suite.id): \(error)")
                }
            }
        }
        for fault in GroupModel.Fault.allCases {
            do {
                let model = try GroupModel(fault: fault, maxChanges: 12, maxSealed: 15)
                for seed in 0..<200 { _ = try GroupSearch.random(model, seed: UInt64(seed), steps: 150) }
                print("\(fault): not found")
                missed += 1
            } catch {
                print("\(fault): \("\(error)".split(separator: ": ").last ?? "")")
            }
        }
        exit(missed == 0 ? 0 : 1)
    }
}
