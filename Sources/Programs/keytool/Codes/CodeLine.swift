import Encodings

/// A line of a backup code as it was typed, taken apart into groups.
///
/// Dashes and blanks end a group. Eight characters or more without one are several groups, if they are a multiple
/// of four: otherwise nobody knows which group is the wrong one.
struct CodeLine {
    /// One group, right or wrong.
    struct Group: Equatable {
        /// Upper case; as typed if it is wrong.
        let text: String
        /// Nil for a group that a code may have.
        let problem: Problem?
    }

    enum Problem: Equatable {
        /// At a place from 1.
        case badCharacter(Unicode.Scalar, position: Int)
        case length(Int)
    }

    let groups: [Group]

    /// - Parameter count: how many groups stand before this line; errors count on from there.
    /// - Throws: `CodeEntryError.character`, `.unevenRun`.
    init(_ line: some StringProtocol, after count: Int) throws(CodeEntryError) {
        var groups: [Group] = []
        for run in line.unicodeScalars.split(whereSeparator: { $0 == "-" || $0.properties.isWhitespace }) {
            let scalars = Array(run)
            guard scalars.count >= 2 * GroupedCode.groupSize else {
                groups.append(Self.group(scalars))
                continue
            }
            let parts = stride(from: 0, to: scalars.count, by: GroupedCode.groupSize).map { start in
                Self.group(Array(scalars[start..<min(start + GroupedCode.groupSize, scalars.count)]))
            }
            guard scalars.count.isMultiple(of: GroupedCode.groupSize) else {
                for (index, part) in parts.enumerated() {
                    guard case .badCharacter(let character, let position) = part.problem else { continue }
                    let number = count + groups.count + index + 1
                    throw .character(.badCharacter(character, group: number, position: position))
                }
                throw .unevenRun(characters: scalars.count)
            }
            groups += parts
        }
        self.groups = groups
    }

    /// The groups without the row check behind them, and the check, if the line ends like one.
    var row: (groups: [Group], check: String)? {
        guard groups.count > 1, let last = groups.last, last.problem == .length(CodeRow.checkCount) else { return nil }
        return (Array(groups.dropLast()), last.text.uppercased())
    }

    private static func group(_ scalars: [Unicode.Scalar]) -> Group {
        let typed = String(String.UnicodeScalarView(scalars))
        if let code = try? GroupedCode(parsing: typed) {
            let isFull = scalars.count == GroupedCode.groupSize
            return Group(text: isFull ? code.text : typed, problem: isFull ? nil : .length(scalars.count))
        }
        let position = scalars.firstIndex { (try? GroupedCode(parsing: String($0))) == nil } ?? 0
        return Group(text: typed, problem: .badCharacter(scalars[position], position: position + 1))
    }
}
