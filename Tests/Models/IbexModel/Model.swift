import Encodings
import Threema
import ThreemaForwardSecurity
import ThreemaMessages

/// Goes through all orders of steps of two sides, breadth first. States that differ in names and absolute counters only
/// are one state.
package final class Model {
    let sides: [Side]
    /// States at rest from which both sides came to one session.
    private var healed: Set<String> = []
    /// What is known of a record, and what an envelope means with it.
    var summaries: [[UInt8]: Summary] = [:]
    var meanings: [Meaning: String] = [:]

    /// What was found.
    package struct Report: Sendable {
        /// Steps from the start that were all tried.
        package var depth = 0
        package var states = 0
        package var steps = 0
        /// The pairs of states of Alice's and Bob's best session that were seen.
        package var pairs: Set<String> = []
    }

    package init() throws { sides = try RandomRun.pair(RepeatableRandom(seed: 77)) }

    func circumstances(_ random: ModelRandom) -> Circumstances<Disk.Sessions, ModelRandom> {
        Circumstances(now: Timestamp(milliseconds: 1_700_000_000_000), used: Disk.Sessions(), random: random)
    }

    /// - Parameters:
    ///   - depth: most steps.
    ///   - isTimeUp: asked before each state.
    /// - Throws: `Violation`, with the steps that lead to it.
    package func check(depth: Int, isTimeUp: () -> Bool = { false }) throws -> Report {
        var report = Report()
        var seen: Set<String> = []
        var front = [(state: ModelState(), path: [String]())]
        seen.insert(try describe(ModelState()))
        report.states = 1
        for level in 1...depth {
            var next: [(state: ModelState, path: [String])] = []
            for (state, path) in front {
                for place in 0..<2 {
                    for step in ModelState.Step.allCases where try state.canTake(step, place) {
                        if isTimeUp() { return report }
                        let path = path + ["\(["Alice", "Bob"][place]) \(step)"]
                        var changed = state
                        do {
                            _ = try changed.take(step, place, self)
                            report.steps += 1
                            guard seen.insert(try describe(changed)).inserted else { continue }
                            try heal(changed)
                        } catch let violation as Violation {
                            throw Violation(path.joined(separator: "; ") + ": \(violation)")
                        }
                        report.states += 1
                        report.pairs.insert(try pair(changed))
                        next.append((changed, path))
                    }
                }
            }
            report.depth = level
            front = next
            if front.isEmpty { break }
        }
        return report
    }

    private func pair(_ state: ModelState) throws -> String {
        try [0, 1].map { place in
            let sessions = try state.sessions(place)
            let best = sessions.best == .local ? sessions.local.state : sessions.remote.state
            return best?.rawValue ?? "none"
        }.joined(separator: "/")
    }

    /// From any state on, a network without faults leads both sides to one session.
    private func heal(_ state: ModelState) throws {
        var state = state
        try drain(&state)
        // Most states come to rest in a few ones.
        guard healed.insert(try describe(state)).inserted else { return }
        for _ in 0..<3 { try exchange(&state) }
        for event in try exchange(&state) {
            guard case .message(.fourDH, skipped: 0) = event else { throw Violation("not agreed in the end: \(event)") }
        }
        let best = try [0, 1].map { place in
            let sessions = try state.sessions(place)
            return sessions.best == .local ? sessions.local.id : sessions.remote.id
        }
        guard best[0] == best[1], ["L44/R44", "R44/L44"].contains(try pair(state)) else {
            throw Violation("the sides use two sessions in the end")
        }
    }

    @discardableResult
    private func exchange(_ state: inout ModelState) throws -> [SessionEvent] {
        var events: [SessionEvent] = []
        for place in 0..<2 {
            _ = try state.take(.send, place, self)
            events += try drain(&state)
        }
        return events
    }

    @discardableResult
    private func drain(_ state: inout ModelState) throws -> [SessionEvent] {
        var events: [SessionEvent] = []
        for _ in 0..<100 {
            var isQuiet = true
            for place in 0..<2 {
                if try state.canTake(.acknowledge, place) { _ = try state.take(.acknowledge, place, self) }
                guard !state.wire[place].isEmpty else { continue }
                isQuiet = false
                if let event = try state.take(.deliver, place, self) { events.append(event) }
            }
            if isQuiet { return events }
        }
        throw Violation("the sides do not come to rest")
    }
}
