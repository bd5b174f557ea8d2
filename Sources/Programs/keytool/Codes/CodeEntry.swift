import Console
import Encodings
import Threema

/// A backup code while it is typed: one place for each group. A group that is wrong keeps its place until it is
/// typed again.
struct CodeEntry {
    private enum Place {
        case right(String)
        /// What was typed.
        case wrong(String)

        var group: String? {
            guard case .right(let group) = self else { return nil }
            return group
        }
    }

    private var places: [Place] = []
    /// The checks of rows that were typed and are not yet compared, by the index of their first group.
    private var rowChecks: [Int: String] = [:]
    /// Rows that did not have their check, by the index of their first group.
    private var wrongRows: Set<Int> = []
    /// The text of the group that was last removed from the end.
    private(set) var takenBack: String?
    /// Whether the user has said that the code is not a longer one.
    private var isEnded = false

    /// The number of the group that comes after all others, from 1.
    var next: Int { places.count + 1 }

    /// The first group that has to be typed again: its number, and what was typed.
    var wrong: (number: Int, text: String, mayStay: Bool)? {
        for (index, place) in places.enumerated() {
            if case .wrong(let text) = place { return (index + 1, text, Self.isGroup(text)) }
        }
        return nil
    }

    /// The row that has to be typed again as a whole, if the first wrong group begins it: its check does not say which
    /// of its groups is wrong.
    var wrongRow: Row? {
        guard let wrong, wrongRows.contains(wrong.number - 1) else { return nil }
        let row = Self.row(wrong.number - 1, of: places)
        return row.allSatisfy({ places[$0].group == nil }) ? Row(start: row.lowerBound, count: row.count) : nil
    }

    /// A row of a printed code.
    struct Row {
        /// The index of its first group.
        fileprivate let start: Int
        let count: Int
        var number: Int { start / CodeRow.groupCount + 1 }
        /// Numbers of its first and its last group.
        var groups: (first: Int, last: Int) { (start + 1, start + count) }
    }

    /// Whether the code has all its groups.
    var isFull: Bool { places.count == limit }

    /// Whether the groups so far could be all of a code of the shorter scheme.
    var mayBeAll: Bool { places.count == Self.count(.pbkdf2) && !isFull }

    /// The whole code; nil while a group is missing or wrong.
    var code: GroupedCode? {
        guard wrong == nil, isFull || isEnded && mayBeAll else { return nil }
        return try? GroupedCode(parsing: places.compactMap(\.group).joined(separator: "-"))
    }

    /// Characters in right groups.
    var characterCount: Int { places.count { $0.group != nil } * GroupedCode.groupSize }

    /// Takes lines with one group, several, or all of them.
    /// - Parameter number: the group that was asked for, if it stands before others. A line with more groups must
    ///   agree with the right ones around it.
    /// - Returns: what is wrong with groups that were taken.
    /// - Throws: `CodeEntryError`; then nothing of that line is taken, and nothing of the lines after it.
    mutating func take(_ text: String, for number: Int? = nil) throws(CodeEntryError) -> [CodeEntryError] {
        let lines = text.split(whereSeparator: \.isNewline)
        if let row = wrongRow, row.groups.first == number, lines.count == 1 {
            let line = try CodeLine(lines[0], after: row.start)
            guard (line.row?.groups ?? line.groups).count >= row.count else {
                throw .wholeRow(first: row.groups.first, last: row.groups.last)
            }
        }
        var problems: [CodeEntryError] = []
        if let number, lines.count > 1 {
            // A whole code that is pasted again: only together its lines show where they belong.
            var groups: [CodeLine.Group] = []
            for line in lines {
                let line = try CodeLine(line, after: groups.count)
                let row = line.row.flatMap { $0.groups.count == CodeRow.groupCount ? $0.groups : nil }
                groups += row ?? line.groups
            }
            return try put(groups, for: number) + compareRows()
        }
        for line in lines {
            let line = try CodeLine(line, after: number.map { $0 - 1 } ?? places.count)
            if let row = line.row, let start = start(of: row.groups, for: number), Self.isRow(start, row.groups.count) {
                problems += try put(row.groups, for: number)
                rowChecks[start] = row.check
            } else {
                problems += try put(line.groups, for: number)
            }
            problems += compareRows()
        }
        return problems
    }

    /// Takes a wrong group as it is.
    mutating func keep(_ number: Int) {
        guard case .wrong(let text) = places[number - 1], Self.isGroup(text) else { return }
        places[number - 1] = .right(text)
    }

    /// Takes a wrong row as it is.
    mutating func keep(_ row: Row) {
        wrongRows.remove(row.start)
        (row.groups.first...row.groups.last).forEach { keep($0) }
    }

    /// Has a group typed again.
    mutating func doubt(_ number: Int) {
        guard places.indices.contains(number - 1), let group = places[number - 1].group else { return }
        places[number - 1] = .wrong(group)
    }

    /// Goes one group back: from a wrong group to the one before it, else from the end.
    mutating func back() {
        if let wrong {
            doubt(wrong.number - 1)
        } else {
            takenBack = places.popLast()?.group
        }
    }

    /// Says that no group follows.
    mutating func end() { isEnded = true }

    // MARK: Places

    /// The index where these groups belong: behind all others, or around the group that was asked for.
    private func start(of groups: [CodeLine.Group], for number: Int?) -> Int? {
        guard let number, groups.count > 1 else { return (number ?? next) - 1 }
        let first = max(0, number - groups.count)
        return (first..<number).reversed().first { start in
            zip(places.dropFirst(start), groups).allSatisfy { place, group in
                place.group == nil || group.problem != nil || place.group == group.text
            }
        }
    }

    private mutating func put(
        _ groups: [CodeLine.Group], for number: Int?
    ) throws(CodeEntryError) -> [CodeEntryError] {
        guard let start = start(of: groups, for: number) else { throw .onlyOneAskedFor(group: number ?? next) }
        var longer = self
        var problems: [CodeEntryError] = []
        for (index, group) in groups.enumerated() {
            let index = start + index
            if index < places.count, places[index].group != nil { continue }
            if let problem = group.problem { problems.append(CodeEntryError(problem, group: index + 1)) }
            let place: Place = group.problem == nil ? .right(group.text) : .wrong(group.text)
            if index < longer.places.count { longer.places[index] = place } else { longer.places.append(place) }
        }
        guard longer.places.count <= longer.limit else {
            throw .tooMany(groups: longer.places.count, limit: longer.limit)
        }
        longer.takenBack = nil
        longer.wrongRows.remove(start)
        self = longer
        return problems
    }

    /// Compares the complete rows that came with a check; one that does not fit is wrong as a whole.
    private mutating func compareRows() -> [CodeEntryError] {
        var problems: [CodeEntryError] = []
        for (start, check) in rowChecks.sorted(by: { $0.key < $1.key }) {
            let row = Self.row(start, of: places)
            let groups = places[row].compactMap(\.group)
            guard groups.count == row.count else { continue }
            // The check itself may be mistyped: it counts once.
            rowChecks[start] = nil
            let number = start / CodeRow.groupCount + 1
            guard CodeRow(number: number, groups: groups).check != check else { continue }
            row.forEach { doubt($0 + 1) }
            wrongRows.insert(start)
            problems.append(.rowCheck(check.printable, first: start + 1, last: start + row.count))
        }
        return problems
    }

    private static func row(_ start: Int, of places: [Place]) -> Range<Int> {
        start..<min(start + CodeRow.groupCount, places.count)
    }

    /// Whether so many groups from here are a whole row.
    private static func isRow(_ start: Int, _ count: Int) -> Bool {
        let isLast = start + count == Self.count(.argon2id)
        return start.isMultiple(of: CodeRow.groupCount) && (count == CodeRow.groupCount || isLast)
    }

    private static func isGroup(_ text: String) -> Bool {
        guard let code = try? GroupedCode(parsing: text) else { return false }
        return code.characters.count == GroupedCode.groupSize && code.shortGroups.isEmpty
    }

    // MARK: Length

    private var limit: Int {
        // The longer scheme shows in the first two characters; while they are wrong it may be either.
        guard let first = places.first else { return Self.count(.pbkdf2) }
        let mayBeLonger =
            first.group.map { (try? GroupedCode(parsing: $0)).map(IDBackup.mayBeArgon2id) ?? false } ?? true
        return Self.count(mayBeLonger ? .argon2id : .pbkdf2)
    }

    private static func count(_ scheme: IDBackup.Scheme) -> Int { scheme.characterCount / GroupedCode.groupSize }
}
