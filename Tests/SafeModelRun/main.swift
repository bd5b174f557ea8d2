import Encodings
import Glibc
import SafeModel
import SafeRules

// The model checker as a program: every sequence to a depth, then random longer ones.
//
//     safe-model [--depth N] [--seconds N]
//
// It ends with 1 if anything does not hold, or if the depth was not reached in time.

var depth = 6
var seconds = 60
var name = ""
var maxFaults = 2
var arguments = CommandLine.arguments.dropFirst()
while let option = arguments.popFirst(), let value = arguments.popFirst() {
    switch option {
    case "--depth": depth = Int(value) ?? depth
    case "--seconds": seconds = Int(value) ?? seconds
    case "--faults": maxFaults = Int(value) ?? maxFaults
    default: name = value
    }
}
let start = time(nil)
var hasFailed = false
var exceptions: [String: Int] = [:]

for scenario in Scenario.all where name.isEmpty || scenario.name.contains(name) {
    var explorer = scenario.explorer(maxFaults: maxFaults)
    explorer.explore(from: scenario.start, depth: depth) { time(nil) - start > seconds }
    print(
        "\(scenario.name): depth \(explorer.depths.count) of \(depth), \(explorer.states) states, \(explorer.runs) runs"
            + (explorer.isComplete ? "" : ", time is over"), time(nil) - start, "s", explorer.depths)
    exceptions.merge(explorer.exceptions) { $0 + $1 }
    for violation in explorer.violations.prefix(2) {
        print("  does not hold: \(violation.words)")
        for words in violation.trace { print("    \(words)") }
    }
    hasFailed = hasFailed || !explorer.violations.isEmpty || !explorer.isComplete
}
for (words, count) in exceptions.sorted(by: { $0.key < $1.key }) { print("excepted: \(words): \(count)") }
exit(hasFailed ? 1 : 0)
