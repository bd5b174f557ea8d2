/// Goes through all orders of steps of a group, breadth first, and then at random.
package struct GroupSearch {
    package struct Report: Sendable {
        /// Steps from the start that were all tried.
        package var depth = 0
        package var states = 0
        package var steps = 0
    }

    /// What makes two states one.
    private struct Key: Hashable {
        let members: [GroupModel.Member]
        let changes: [GroupModel.Change]
        let wire: [Set<GroupModel.Item>]
        let forbidden: [Set<GroupModel.Letter>]

        init(_ model: GroupModel) {
            (members, changes, wire, forbidden) = (model.members, model.changes, model.wire, model.forbidden)
        }
    }

    /// - Throws: `Violation`, with the steps that lead to it.
    package static func breadthFirst(
        _ start: GroupModel, depth: Int, isTimeUp: () -> Bool = { false }
    ) throws -> Report {
        var report = Report(states: 1)
        var seen: Set<Key> = [Key(start)]
        var front = [(start, [GroupModel.Step]())]
        for level in 1...max(depth, 1) {
            var next: [(GroupModel, [GroupModel.Step])] = []
            for (model, path) in front {
                for step in try model.steps() {
                    if isTimeUp() { return report }
                    var changed = model
                    try describing(path + [step]) { try changed.take(step) }
                    report.steps += 1
                    guard seen.insert(Key(changed)).inserted else { continue }
                    report.states += 1
                    // From any state on, a good network lets everybody read everybody. That takes as long as many
                    // steps, so it is tried of some states.
                    if report.states % 16 == 0 {
                        var settled = changed
                        try describing(path + [step]) {
                            try settled.settle()
                            try settled.exchange()
                        }
                    }
                    next.append((changed, path + [step]))
                }
            }
            report.depth = level
            front = next
            if front.isEmpty { break }
        }
        return report
    }

    /// Goes through all orders of a few steps, breadth first, from states that random steps have reached.
    /// - Parameter depth: after the random steps, of which there are up to 12.
    /// - Returns: how many such states, and what was done after them.
    package static func breadthFirst(
        afterRandomStepsFrom start: GroupModel, depth: Int, isTimeUp: () -> Bool
    ) throws -> (starts: Int, report: Report) {
        var (starts, sum) = (0, Report(depth: depth))
        while !isTimeUp() {
            var random = ModelRandom(seed: UInt64(starts))
            var model = start
            var path: [GroupModel.Step] = []
            for _ in 0..<random.number(below: 13) {
                let steps = try model.steps()
                guard !steps.isEmpty else { break }
                path.append(steps[random.number(below: steps.count)])
                try describing(path) { try model.take(path.last!) }
            }
            let report = try describing(path) { try breadthFirst(model, depth: depth) }
            starts += 1
            sum.states += report.states
            sum.steps += report.steps
        }
        return (starts, sum)
    }

    /// Takes random steps from the start, and settles at the end.
    /// - Returns: how many steps.
    package static func random(_ start: GroupModel, seed: UInt64, steps count: Int) throws -> Int {
        var random = ModelRandom(seed: seed)
        var model = start
        var path: [GroupModel.Step] = []
        for _ in 0..<count {
            let steps = try model.steps()
            guard !steps.isEmpty else { break }
            let step = steps[random.number(below: steps.count)]
            path.append(step)
            try describing(path) { try model.take(step) }
        }
        try describing(path) {
            try model.settle()
            try model.exchange()
        }
        return path.count
    }

    private static func describing<Result>(_ path: [GroupModel.Step], _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let violation as Violation {
            throw Violation(path.map { "\($0)" }.joined(separator: "; ") + ": \(violation)")
        }
    }
}
