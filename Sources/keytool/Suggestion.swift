import ArgumentParser

/// Reads the words of a command line that was not understood.
enum Suggestion {
    /// The words at the front that are verbs.
    static func path(of arguments: [String]) -> [String] {
        var command: any ParsableCommand.Type = Keytool.self
        return Array(
            words(arguments).prefix { word in
                guard let next = command.verbs.first(where: { $0._commandName == word }) else { return false }
                command = next
                return true
            })
    }

    /// The nearest verb for the first word that is none; nil where every word is one, or nothing is near.
    static func verb(for arguments: [String]) -> String? {
        let path = path(of: arguments)
        let command = path.reduce(Keytool.self as any ParsableCommand.Type) { command, word in
            command.verbs.first { $0._commandName == word } ?? command
        }
        guard let word = words(arguments).dropFirst(path.count).first else { return nil }
        let near = command.verbs.map { (name: $0._commandName, distance: distance(word, $0._commandName)) }
            .min { $0.distance < $1.distance }
        return near.flatMap { $0.distance <= 2 ? $0.name : nil }
    }

    /// The arguments that are neither options nor the values of those that stand before verbs.
    private static func words(_ arguments: [String]) -> [String] {
        zip([""] + arguments, arguments)
            .filter { !$1.hasPrefix("-") && !GlobalOptions.valued.contains($0) }.map(\.1)
    }

    /// Letters to insert, remove, replace or swap with their neighbour (optimal string alignment).
    private static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left.prefix(32))
        let right = Array(right)
        var rows = [Array(0...right.count)]
        for row in 1..<left.count + 1 {
            var current = [row]
            for column in 1..<right.count + 1 {
                let cost = left[row - 1] == right[column - 1] ? 0 : 1
                var best = min(rows[row - 1][column] + 1, current[column - 1] + 1, rows[row - 1][column - 1] + cost)
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    best = min(best, rows[row - 2][column - 2] + 1)
                }
                current.append(best)
            }
            rows.append(current)
        }
        return rows[left.count][right.count]
    }
}

extension ParsableCommand {
    fileprivate static var verbs: [any ParsableCommand.Type] { configuration.subcommands }
}
