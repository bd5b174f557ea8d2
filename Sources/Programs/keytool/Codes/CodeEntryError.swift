import Console
import Encodings

/// What is wrong with a line of a typed code, or with one of its groups. Groups count from 1.
enum CodeEntryError: Error, Equatable {
    case character(GroupedCodeError)
    case wrongLength(group: Int, characters: Int)
    /// So many characters without a dash or blank, which are not whole groups.
    case unevenRun(characters: Int)
    case tooMany(groups: Int, limit: Int)
    /// Several groups were typed that do not agree with those around this one.
    case onlyOneAskedFor(group: Int)
    case rowCheck(String, first: Int, last: Int)
    /// Fewer groups were typed than the row has that was asked for.
    case wholeRow(first: Int, last: Int)

    init(_ problem: CodeLine.Problem, group: Int) {
        self =
            switch problem {
            case .badCharacter(let character, let position):
                .character(.badCharacter(character, group: group, position: position))
            case .length(let count): .wrongLength(group: group, characters: count)
            }
    }
}

extension CodeEntryError: Explained {
    var failure: Failure {
        switch self {
        case .character(let error): error.failure
        case .wrongLength(let group, let characters):
            Failure(.badData, "group \(group) has \(characters) characters; it needs \(GroupedCode.groupSize)")
        case .unevenRun(let characters):
            Failure(
                .badData,
                "\(characters) characters without a dash cannot be divided into groups of \(GroupedCode.groupSize)",
                hints: "type a dash after each group")
        case .tooMany(let groups, let limit):
            Failure(.badData, "too many groups: \(groups) instead of \(limit)")
        case .onlyOneAskedFor(let group):
            Failure(
                .badData, "type only group \(group): the other groups in this line differ from the groups typed before")
        case .rowCheck(let check, let first, let last):
            Failure(.badData, "groups \(first) to \(last) do not match the row check \(check)")
        case .wholeRow(let first, let last): Failure(.badData, "type the whole row, groups \(first) to \(last)")
        }
    }
}
