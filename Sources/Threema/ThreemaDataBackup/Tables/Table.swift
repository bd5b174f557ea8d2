internal import Encodings
internal import SecureMemory
internal import Threema

/// A table of a data backup. Columns are found by their names, because one version of the format has several sets of
/// them.
enum Table {
    /// Most rows that are read.
    static let maxRows = 100_000

    /// A row, by the names of its columns.
    struct Row {
        /// Number of the row in the file, from 1; the names of the columns are row 1.
        let number: Int
        fileprivate let columns: [String: Int]
        fileprivate let cells: [String]

        /// - Returns: nil if the table has no such column, or the row no such cell.
        func text(_ column: String) -> String? {
            guard let index = columns[column], index < cells.count else { return nil }
            return cells[index]
        }

        /// A time in milliseconds since 1970.
        /// - Returns: nil if there is none.
        /// - Throws: `.row(.number)` if it is not a number between 0 and 2^53.
        func time(_ column: String) throws(RowFailure) -> Int64? {
            guard let text = text(column), !text.isEmpty else { return nil }
            guard let time = Int64(text), (0...1 << 53).contains(time) else { throw .row(.number(column: column)) }
            return time
        }

        /// Only `1` is true.
        func flag(_ column: String) -> Bool { text(column) == "1" }

        /// The IDs of a list, each once.
        /// - Returns: also how many elements are not IDs.
        func ids(_ column: String) -> (ids: [ThreemaID], invalid: Int) {
            var (ids, seen, invalid): ([ThreemaID], Set<ThreemaID>, Int) = ([], [], 0)
            for element in (text(column) ?? "").split(separator: ";") {
                guard let id = try? ThreemaID(String(element)) else {
                    invalid += 1
                    continue
                }
                if seen.insert(id).inserted { ids.append(id) }
            }
            return (ids, invalid)
        }
    }

    /// Calls `body` for each row. A row for which it throws a problem is left out and reported.
    /// - Parameters:
    ///   - needed: columns without which the table is not read.
    ///   - note: called with the length of each row in bytes, when the row was read.
    ///   - body: throws `RowFailure.table` to end the reading.
    /// - Throws: `.missingColumn`, `.tooManyRows`; the failure that `body` throws.
    static func read(
        _ text: Span<UInt8>, of entry: String, needed: [String], _ faults: inout TableFaults,
        _ note: (Int) -> Void, _ body: (Row) throws(RowFailure) -> Void
    ) throws(DataBackupError) {
        var columns: [String: Int]?
        var (number, failure): (Int, DataBackupError?) = (0, nil)
        CSV.forEachRow(in: text) { cells in
            number += 1
            defer { note(cells.byteCount) }
            guard let columns else {
                let found = Dictionary(
                    cells.cells.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
                columns = found
                failure = needed.first { found[$0] == nil }.map { .missingColumn(entry: entry, column: $0) }
                return failure == nil
            }
            guard number - 1 <= maxRows else {
                failure = .tooManyRows(entry: entry, limit: maxRows)
                return false
            }
            let row = Row(number: number, columns: columns, cells: cells.cells)
            do throws(RowFailure) {
                guard !cells.isFaulty else { throw .row(.unreadable) }
                guard needed.allSatisfy({ row.text($0) != nil }) else { throw .row(.tooShort) }
                try body(row)
            } catch {
                switch error {
                case .row(let problem): faults.add(TableFault(entry: entry, row: number, problem: problem))
                case .table(let found): failure = found
                }
            }
            return failure == nil
        }
        if columns == nil, let first = needed.first { failure = .missingColumn(entry: entry, column: first) }
        if let failure { throw failure }
    }

    /// Why a row is not read.
    enum RowFailure: Error {
        /// It is left out.
        case row(TableFault.Problem)
        /// Nothing more is read.
        case table(DataBackupError)
    }
}

/// A row, or a part of it, that was left out.
public struct TableFault: Equatable, Sendable {
    /// Name of the entry, for example `contacts.csv`.
    public let entry: String
    /// Number of the row, from 1; the names of the columns are row 1. A row may have several lines.
    public let row: Int
    /// What is wrong with the row, or with the part of it that was left out.
    public let problem: Problem

    /// What is wrong with a row.
    public enum Problem: Error, Equatable, Sendable {
        /// A quote is not closed, or a cell or the row is too long.
        case unreadable
        /// Needed cells are missing.
        case tooShort
        /// The ID of the contact or of the group's creator is malformed.
        case id
        /// The public key is not 32 bytes, or a point of low order, for example 32 zeros.
        case publicKey
        /// The ID of the group is not 8 bytes.
        case groupID
        /// The ID of the distribution list is not a number from 1 to 2^63 - 1.
        case listID
        /// This column does not have a number that is a time.
        case number(column: String)
        /// An earlier row has the same ID; that one was read.
        case duplicate
        /// This many members are not IDs. The rest of the row was read.
        case members(Int)
    }
}

/// The rows that were left out.
public struct TableFaults: Equatable, Sendable {
    /// The first ones, at most 20.
    public private(set) var first: [TableFault] = []
    /// How many faults there are, also those that are not in `first`.
    public private(set) var count = 0

    mutating func add(_ fault: TableFault) {
        count += 1
        if first.count < 20 { first.append(fault) }
    }
}
