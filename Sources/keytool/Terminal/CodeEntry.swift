import Encodings
import Threema

/// A backup code on its way in: the groups so far, each checked when it was entered.
struct CodeEntry {
    /// Full groups, upper case.
    private(set) var groups: [String] = []
    /// The group that was last taken back, as it was.
    private(set) var takenBack: String?

    private var code: GroupedCode? { try? GroupedCode(parsing: text) }

    /// Characters so far, joined as the code is.
    var text: String { groups.joined(separator: "-") }

    var characterCount: Int { groups.count * GroupedCode.groupSize }

    /// The number of the group that comes next, from 1.
    var next: Int { groups.count + 1 }

    /// Whether this is all of a code of the shorter scheme.
    var mayBeAll: Bool { groups.count == Self.count(.pbkdf2) }

    /// Whether no code goes on from here.
    var isAll: Bool { groups.count == limit }

    /// Takes a line: one group, several, or all of them.
    /// - Throws: `CodeEntryError`, `GroupedCodeError`; then nothing of the line is taken.
    mutating func take(_ line: String) throws {
        // On its own: a paper's line break is no reason to join two groups.
        let entered: GroupedCode
        do throws(GroupedCodeError) {
            entered = try GroupedCode(parsing: line)
        } catch {
            throw error.moved(by: groups.count)
        }
        if let short = entered.shortGroups.first {
            // Five letters in a row are one group with a letter too many, whatever they are read as.
            let isTooLong = short.number > 1 && Self.runs(line).contains { (5..<8).contains($0) }
            let number = groups.count + short.number - (isTooLong ? 1 : 0)
            throw CodeEntryError.wrongLength(
                group: number, characters: short.count + (isTooLong ? GroupedCode.groupSize : 0))
        }
        var longer = self
        longer.groups += entered.groups
        longer.takenBack = nil
        guard longer.groups.count <= longer.limit else {
            throw CodeEntryError.tooMany(groups: longer.groups.count, limit: longer.limit)
        }
        self = longer
    }

    /// Takes the last group back.
    mutating func back() {
        takenBack = groups.popLast()
    }

    private var limit: Int {
        let mayBeLonger = code.map(IDBackup.mayBeArgon2id) ?? false
        return Self.count(mayBeLonger ? .argon2id : .pbkdf2)
    }

    private static func count(_ scheme: IDBackup.Scheme) -> Int { scheme.characterCount / GroupedCode.groupSize }

    /// How many characters stand together without a dash or a blank between them.
    private static func runs(_ line: String) -> [Int] {
        line.split { $0 == "-" || $0.isWhitespace }.map(\.count)
    }
}

/// What is wrong with a line of a code.
enum CodeEntryError: Error, Equatable {
    case wrongLength(group: Int, characters: Int)
    case tooMany(groups: Int, limit: Int)
}

extension CodeEntryError: Explained {
    var failure: Failure {
        switch self {
        case .wrongLength(let group, let characters):
            Failure(.badData, "group \(group) has \(characters) characters; each has \(GroupedCode.groupSize)")
        case .tooMany(let groups, let limit):
            Failure(.badData, "that makes \(groups) groups; this code has \(limit)")
        }
    }
}

extension GroupedCodeError {
    /// The same, of text that stands behind so many groups.
    fileprivate func moved(by groups: Int) -> GroupedCodeError {
        guard case .badCharacter(let character, let group, let position) = self else { return self }
        return .badCharacter(character, group: groups + group, position: position)
    }
}
