import Foundation
import IbexModel

/// Random runs of two clients, and the search through all orders of their steps.
///
///     ibex-model search SECONDS [DEPTH]
///     ibex-model random RUNS [FIRST-SEED]
///     ibex-model copies RUNS               the same with copies that are not detected: each line is a failed run
@main
struct IbexModelRun {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let runs = arguments.dropFirst().first.flatMap { Int($0) } ?? 1000
        let first = arguments.dropFirst(2).first.flatMap { Int($0) } ?? 0
        if arguments.first == "search" { return search(seconds: Double(runs), depth: first == 0 ? 100 : first) }
        var faults = RandomRun.Faults()
        if arguments.first == "copies" {
            faults.detectsCopies = false
            faults.copyPercent = 10
        }
        let start = Date()
        var (count, failed) = (0, 0)
        for seed in first..<first + runs {
            do {
                var run = try RandomRun(seed: UInt64(seed), faults: faults)
                count += try run.run(steps: 100)
            } catch {
                print("seed \(seed): \(error)")
                failed += 1
            }
        }
        print("\(runs) runs, \(failed) failed, \(count) messages, \(Int(Date().timeIntervalSince(start))) s")
        exit(failed == 0 ? 0 : 1)
    }

    private static func search(seconds: Double, depth: Int) {
        let end = Date() + seconds
        do {
            let report = try Model().check(depth: depth) { Date() > end }
            print("depth \(report.depth), \(report.states) states, \(report.steps) steps")
            print(report.pairs.sorted().joined(separator: " "))
        } catch {
            print(error)
            exit(1)
        }
    }
}
