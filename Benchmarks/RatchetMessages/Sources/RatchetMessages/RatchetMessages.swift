import Encodings
import Glibc
import Primitives
import Ratchet

/// Measures messages of the double ratchet in turn with the primitives they need, and a group message to 100 members
/// in turn with one to three. Prints a line per pair: name, CPU seconds of one and of the other, for one message.
@main
struct RatchetMessages {
    static let text = [UInt8](repeating: 7, count: 400)

    static func main() throws {
        let talk = try Talk()
        let primitives = PrimitiveWork(text)
        try measure("chain", { try talk.chain(text) }, { primitives.message() })
        try measure(
            "turn", { try talk.turn(text) },
            {
                primitives.message()
                primitives.turn()
            })
        let (large, small) = (try Crowd(100), try Crowd(3))
        try measure("group", { try large.seal(text) }, { try small.seal(text) })
    }

    static func measure(_ name: String, _ one: () throws -> Void, _ other: () throws -> Void) rethrows {
        // The first pair warms up.
        try one()
        try other()
        for pair in 0..<31 {
            // The second one finds warm caches and a hot processor, so they take turns.
            let first = pair.isMultiple(of: 2) ? try seconds(other) : nil
            let own = try seconds(one)
            print(name, own, try first ?? seconds(other))
        }
    }

    static func seconds(_ work: () throws -> Void) rethrows -> Double {
        let count = 400
        let start = cpuSeconds()
        for _ in 0..<count { try work() }
        return (cpuSeconds() - start) / Double(count)
    }

    static func cpuSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
