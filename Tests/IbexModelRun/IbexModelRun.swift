import Foundation
import IbexModel

/// Random runs of two clients.
///
///     ibex-model random RUNS [FIRST-SEED]
@main
struct IbexModelRun {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let runs = arguments.dropFirst().first.flatMap { Int($0) } ?? 1000
        let first = arguments.dropFirst(2).first.flatMap { Int($0) } ?? 0
        let start = Date()
        var count = 0
        for seed in first..<first + runs {
            do {
                var run = try RandomRun(seed: UInt64(seed))
                count += try run.run(steps: 60)
            } catch {
                print("seed \(seed): \(error)")
                exit(1)
            }
        }
        print("\(runs) runs, \(count) messages, \(Date().timeIntervalSince(start)) s")
    }
}
