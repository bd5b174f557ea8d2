// Runs codecs, comparisons and checks on secrets that are hidden from valgrind's memcheck. See
// Scripts/test-constant-time, which reads what memcheck reports.
//
//     constant-time-run [CASE …]     without one: all but the planted ones

import CMemcheck
import Glibc

typealias Case = (name: String, run: () throws -> Void)

let planted = Planted.cases
let cases =
    EncodingCases.all + ShareCases.all + AccountCases.all + KeyTextCases.all + CipherCases.all + CheckCases.all
let wanted = Array(CommandLine.arguments.dropFirst())

guard memcheck_runs() else { fatalError("runs under valgrind only, with valgrind's headers when it was built") }
for name in wanted where !(cases + planted).contains(where: { $0.name == name }) { fatalError("no case \(name)") }

var isRight = true
for each in wanted.isEmpty ? cases : (cases + planted).filter({ wanted.contains($0.name) }) {
    let before = memcheck_reports()
    do {
        try each.run()
    } catch {
        print("\(each.name): failed: \(error)")
        isRight = false
    }
    // Those that are allowed are among them.
    print("\(each.name): \(memcheck_reports() - before)")
}
if !isRight { exit(1) }
