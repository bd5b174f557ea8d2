import Foundation
import IbexModel

/// Random runs of two clients.
///
///     ibex-model random RUNS [FIRST-SEED]
///     ibex-model copies RUNS               the same with copies that are not detected: each line is a failed run
@main
struct IbexModelRun {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let runs = arguments.dropFirst().first.flatMap { Int($0) } ?? 1000
        let first = arguments.dropFirst(2).first.flatMap { Int($0) } ?? 0
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
}
