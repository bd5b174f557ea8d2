import Dispatch
import Glibc
import SafeModel
import SafeRules
import Synchronization

// The model checker as a program: every sequence of a scenario to its depth, then random longer ones.
//
//     safe-model [--seconds N] [--walks N] [--shallower N] [--only WORDS]
//
// With --shallower, the sequences are so many steps shorter.
// It ends with 1 if anything does not hold, or if the time was not enough.

var seconds = 900
var walks = 20_000
var shallower = 0
var only = ""
var arguments = CommandLine.arguments.dropFirst()
while let option = arguments.popFirst(), let value = arguments.popFirst() {
    switch option {
    case "--seconds": seconds = Int(value) ?? seconds
    case "--walks": walks = Int(value) ?? walks
    case "--shallower": shallower = Int(value) ?? shallower
    case "--only": only = value
    default:
        print("safe-model: unknown option \(option)")
        exit(64)
    }
}

/// What all scenarios together came to.
struct Total {
    var runs = 0
    var hasFailed = false
    var exceptions: [String: Int] = [:]

    mutating func add(_ explorer: Explorer, _ name: String, _ rest: String) {
        runs += explorer.runs
        exceptions.merge(explorer.exceptions) { $0 + $1 }
        hasFailed = hasFailed || !explorer.violations.isEmpty || !explorer.isComplete
        print(
            "\(name): \(explorer.states) states, \(explorer.runs) runs\(rest)"
                + (explorer.isComplete ? "" : ", TIME IS OVER"))
        for violation in explorer.violations.prefix(2) {
            print("  does not hold: \(violation.words)")
            for words in violation.trace { print("    \(words)") }
        }
        fflush(nil)
    }
}

let start = time(nil)
let total = Mutex(Total())
let scenarios = Scenario.all.filter { only.isEmpty || $0.name.contains(only) }
let (end, count, less) = (start + seconds, walks, shallower)

DispatchQueue.concurrentPerform(iterations: scenarios.count) { index in
    let scenario = scenarios[index]
    var explorer = scenario.explorer
    explorer.explore(from: scenario.start, depth: max(1, scenario.depth - less)) { time(nil) > end }
    total.withLock { $0.add(explorer, scenario.name, ", new at each depth: \(explorer.depths)") }
}
for terms in Set(Scenario.all.map(\.terms)) {
    let name = "random walks of 30 steps, \(terms)"
    guard only.isEmpty || name.contains(only) else { continue }
    var random = SystemRandomNumberGenerator()
    var explorer = Explorer(terms, events: Scenario.changes + Scenario.neighbours)
    for _ in 0..<count / 4 where time(nil) <= end && explorer.violations.isEmpty {
        explorer.walk(from: World(keystores: 2), steps: 30, random: &random)
    }
    total.withLock { $0.add(explorer, name, "") }
}
let failed = total.withLock { total in
    for (words, count) in total.exceptions.sorted(by: { $0.key < $1.key }) { print("excepted: \(words): \(count)") }
    print("\(total.runs) runs of verbs in \(time(nil) - start) s: " + (total.hasFailed ? "FAILED" : "all of it holds"))
    return total.hasFailed
}
exit(failed ? 1 : 0)
