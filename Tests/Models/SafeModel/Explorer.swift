import Encodings
import SafeRules

/// Walks through all sequences of events, breadth first, with faults and kills at any request, and checks after each
/// run what must hold.
package struct Explorer {
    private let terms: Terms
    private let events: [Event]
    private let maxFaults: Int
    private let maxKills: Int
    private let faultKinds: [Fault]

    package private(set) var runs = 0
    package private(set) var states = 0
    package private(set) var violations: [(words: String, trace: [String])] = []
    package private(set) var exceptions: [String: Int] = [:]
    /// How many states each depth has added.
    package private(set) var depths: [Int] = []
    package private(set) var isComplete = true

    private var seen: [CanonicalWorld: UInt16] = [:]
    /// How each state was reached: from which one, by what.
    private var traces: [(parent: Int, event: Event, faults: [Int: Fault])] = [(0, .arrival, [:])]
    private var start = World(keystores: 1)

    package init(
        _ terms: Terms, events: [Event], maxFaults: Int = 2, maxKills: Int = 1,
        faultKinds: [Fault] = Fault.allCases
    ) {
        self.terms = terms
        self.events = events
        self.maxFaults = maxFaults
        self.maxKills = maxKills
        self.faultKinds = faultKinds
    }

    private struct Node {
        var world: World
        var faults: Int
        var kills: Int
        var trace: Int
    }

    /// - Parameters:
    ///   - isTimeOver: asked now and then; true ends the walk, and `isComplete` is false.
    ///   - stopsAtViolation: one is enough.
    package mutating func explore(
        from start: World, depth: Int, stopsAtViolation: Bool = false, isTimeOver: () -> Bool = { false }
    ) {
        self.start = start
        var frontier = [Node(world: start, faults: maxFaults, kills: maxKills, trace: 0)]
        for _ in 0..<depth {
            var next: [Node] = []
            for node in frontier {
                if isTimeOver() || stopsAtViolation && !violations.isEmpty {
                    isComplete = isComplete && !isTimeOver()
                    return
                }
                for event in events where node.world.isPossible(event) { expand(node, event, &next) }
            }
            depths.append(next.count)
            frontier = next
        }
    }

    /// A long random walk.
    package mutating func walk(from start: World, steps: Int, random: inout some RandomNumberGenerator) {
        self.start = start
        traces = [(0, .arrival, [:])]
        var node = Node(world: start, faults: .max, kills: .max, trace: 0)
        for _ in 0..<steps {
            let possible = events.filter { node.world.isPossible($0) }
            guard let event = possible.randomElement(using: &random) else { return }
            var faults: [Int: Fault] = [:]
            if Int.random(in: 0..<3, using: &random) == 0 {
                faults[Int.random(in: 0..<10, using: &random)] = faultKinds.randomElement(using: &random)
            }
            guard let following = step(node, event, faults) else { return }
            node = following
        }
    }

    private mutating func expand(_ node: Node, _ event: Event, _ next: inout [Node]) {
        guard let plain = step(node, event, [:]) else { return }
        if case .verb(let command, let index) = event, let failure = lastFailure,
            let stuck = notLeadingOut(failure, of: command, plain.world, index, 4)
        {
            violations.append(("(d) what \(command) names leads nowhere: \(stuck)", path(plain.trace)))
        }
        visit(plain, &next)
        guard case .verb = event, node.faults > 0 || node.kills > 0 else { return }
        expandFaults(node, event, [:], from: 0, kinds: lastRequests, &next)
    }

    /// Every fault at every request from this one on, then every second one behind it.
    private mutating func expandFaults(
        _ node: Node, _ event: Event, _ faults: [Int: Fault], from first: Int, kinds: [Request],
        _ next: inout [Node]
    ) {
        for index in first..<max(first, kinds.count) {
            for fault in faultKinds where fault.isPossible(at: kinds[index]) {
                guard fault.isKill ? node.kills > 0 : node.faults > 0 else { continue }
                var more = faults
                more[index] = fault
                guard let following = step(node, event, more) else { continue }
                visit(following, &next)
                guard !fault.isKill, following.faults > 0 || following.kills > 0 else { continue }
                var deeper = node
                deeper.faults -= 1
                expandFaults(deeper, event, more, from: index + 1, kinds: lastRequests, &next)
            }
        }
    }

    private var lastRequests: [Request] = []
    private var lastFailure: SafeFailure?

    /// - Returns: nil after a violation: what follows proves nothing.
    private mutating func step(_ node: Node, _ event: Event, _ faults: [Int: Fault]) -> Node? {
        runs += 1
        var world = node.world
        let report = world.happen(event, terms, faults: faults)
        lastRequests = report?.requests ?? []
        lastFailure = report?.outcome?.failure
        for exception in report?.exceptions ?? [] { exceptions[exception, default: 0] += 1 }
        traces.append((node.trace, event, faults))
        let trace = traces.count - 1
        if let violation = report?.violations.first {
            violations.append((violation.words, path(trace)))
            traces.removeLast()
            return nil
        }
        let kills = faults.values.filter(\.isKill).count
        let isFirst = faults.count > 0
        return Node(
            world: world, faults: node.faults == .max ? .max : node.faults - (isFirst ? (kills == 0 ? 1 : 0) : 0),
            kills: node.kills == .max ? .max : node.kills - kills, trace: trace)
    }

    private mutating func visit(_ node: Node, _ next: inout [Node]) {
        guard isNew(node) else { return }
        states += 1
        if let stuck = waysOut(of: node.world) {
            violations.append(("(d) \(stuck)", path(node.trace)))
            return
        }
        next.append(node)
    }

    /// Whether this world was not yet seen with at least as many faults and kills to come.
    private mutating func isNew(_ node: Node) -> Bool {
        let canonical = CanonicalWorld(node.world)
        let visits = seen[canonical] ?? 0
        for faults in node.faults...maxFaults {
            for kills in node.kills...maxKills where visits & Self.visit(faults, kills) != 0 { return false }
        }
        seen[canonical] = visits | Self.visit(node.faults, node.kills)
        return true
    }

    private static func visit(_ faults: Int, _ kills: Int) -> UInt16 { 1 << UInt16(faults * 4 + kills) }

    /// What led to a state, told by doing it once more.
    private func path(_ trace: Int) -> [String] {
        var indices: [Int] = []
        var index = trace
        while index > 0 {
            indices.append(index)
            index = traces[index].parent
        }
        var world = start
        return indices.reversed().map { index in
            let (_, event, faults) = traces[index]
            let report = world.happen(event, terms, faults: faults)
            let told = (report?.outcome).map { $0.failure.map { "\($0)" } ?? "0 \($0.result)" } ?? ""
            return "\(event)" + faults.sorted { $0.key < $1.key }.map { " [\($0.value) at \($0.key)]" }.joined()
                + (told.isEmpty ? "" : " → \(told)")
        }
    }

    // MARK: (d)

    /// Follows what the exits name, in a world without faults, until a push to the place that works says 0.
    /// - Returns: what fails for good; nil if nothing does.
    private func waysOut(of world: World) -> String? {
        for index in world.keystores.indices where world.keystores[index].setup != nil {
            guard let why = stuck(world, index, 4) else { continue }
            return "keystore \(index): a push fails for good: \(why)"
        }
        return nil
    }

    private func stuck(_ world: World, _ index: Int, _ depth: Int) -> String? {
        // No push works at a place that is set up for reading only.
        guard world.keystores[index].setup?.knowledge.isReadOnly != true else { return nil }
        var world = world
        let outcome = world.happen(.verb(.push, by: index), terms)?.outcome
        guard let failure = outcome?.failure else { return nil }
        return notLeadingOut(failure, of: .push, world, index, depth)
    }

    /// Whether a push can work at the present place.
    private func works(_ world: World, _ index: Int) -> Bool {
        guard let current = world.keystores[index].setup?.current else { return false }
        let place = world.place(current.address, terms)
        return world.stored[place][Int(current.password)] != nil || !world.isFull.contains(place)
    }

    /// Each of the ways that a failure names has to lead out.
    private func notLeadingOut(
        _ failure: SafeFailure, of failed: Event.Command, _ world: World, _ index: Int, _ depth: Int
    ) -> String? {
        let ways = failure.waysOut(world.keystores[index].setup?.knowledge.stage ?? .usual)
        guard depth > 0, !ways.isEmpty else { return "\(failure)" }
        // What only the server's keeper can end is no way out of what the server does not do wrong.
        if ways == [.nothing], failed == .push, works(world, index), !failure.isWaiting { return "\(failure)" }
        for way in ways {
            guard let command = way.command(after: failed) else { continue }
            var after = world
            let told = after.happen(.verb(command, by: index), terms)?.outcome?.failure
            let why =
                told.flatMap { $0 == failure ? "\($0)" : notLeadingOut($0, of: command, after, index, depth - 1) }
                ?? (told == nil ? stuck(after, index, depth - 1) : nil)
            if let why { return "\(failure) → \(command) → \(why)" }
        }
        return nil
    }
}

extension SafeFailure {
    /// Time ends it.
    fileprivate var isWaiting: Bool {
        if case .waiting = self { return true }
        return false
    }
}

extension WayOut {
    fileprivate func command(after failed: Event.Command) -> Event.Command? {
        switch self {
        case .overwriting, .overwritingTooLong:
            switch failed {
            case .passwd: .passwdOverwrite
            case .move: .moveOverwrite
            default: nil
            }
        case .pushAgain: .push
        case .pushOverwriting, .pushOverwritingTooLong: .pushOverwrite
        case .pushResumingDeleted: .pushResume
        case .pushAcceptingLoss: nil
        case .pull: .pull
        case .pullReplacing, .pullReplacingKey: .pullReplace
        case .abort: .abort
        case .forgetOld: .forgetOld
        case .delete: .delete
        case .moveLeavingOld: .moveLeavingOld
        case .mirror: .mirror
        case .pullingFirst, .replacing, .settingUp, .move, .mirrorAcceptingLoss, .adoptPassword, .restoreFromHistory:
            nil
        case .nothing: nil
        }
    }
}
