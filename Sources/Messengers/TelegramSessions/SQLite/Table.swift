internal import SecureMemory

// What the schema says of a table: page 1 is a table with the columns type, name, tbl_name, rootpage and sql, and has a
// row for each table, index and trigger (fileformat2.html, 2.6).

/// A table of a database: its first page, and the names of its columns.
struct Table {
    private let root: UInt32
    private let columns: [String]
    /// The column that is another name of the row's ID, and NULL in the row.
    private let idColumn: String?

    /// Most entries of a schema: tables, indexes and triggers.
    private static let maxEntries = 64

    /// Reads the tables of a database, by their names.
    /// - Throws: `.damaged`.
    static func all(in image: DatabaseImage) throws(TelegramSessionError) -> [String: Table] {
        var tables: [String: Table] = [:]
        try image.forEachRow(of: 1, limit: maxEntries) { (_, row) throws(TelegramSessionError) in
            let values = try Record(row).values
            guard values.count == 5, let type = values[0].text(of: row) else { throw .damaged }
            guard type == "table", let name = values[1].text(of: row), let statement = values[4].text(of: row) else {
                return
            }
            guard case .integer(let number) = values[3], let root = UInt32(exactly: number) else { throw .damaged }
            // A virtual table has no page.
            if root != 0 { tables[name] = Table(root: root, statement) }
        }
        return tables
    }

    /// - Parameter statement: `CREATE TABLE name (column type …, …)`.
    private init(root: UInt32, _ statement: String) {
        self.root = root
        var definitions: [String] = []
        var depth = 0
        var definition = ""
        for character in statement {
            if character == ")" { depth -= 1 }
            if depth == 1 && character == "," || depth == 0 && character == ")" {
                definitions.append(definition)
                definition = ""
            } else if depth > 0 {
                definition.append(character)
            }
            if character == "(" { depth += 1 }
        }
        let words = definitions.map { $0.lowercased().split { $0.isWhitespace }.map(String.init) }
        columns = words.map { $0.first?.trimmingQuotes ?? "" }
        // Constraints of the table come behind all columns, so the numbers of those are right.
        idColumn = words.firstIndex { $0.dropFirst().starts(with: ["integer", "primary", "key"]) }.map { [columns] in
            columns[$0]
        }
    }

    /// Whether the table has a column of this name.
    func has(_ column: String) -> Bool { columns.contains(column) }

    /// Calls `body` with its rows, in the order of their IDs.
    /// - Throws: as `DatabaseImage.forEachRow`.
    func forEachRow(
        in image: DatabaseImage, only wanted: Int64? = nil, limit: Int,
        _ body: (Row, _ bytes: Span<UInt8>) throws(TelegramSessionError) -> Void
    ) throws(TelegramSessionError) {
        try image.forEachRow(of: root, only: wanted, limit: limit) { (id, bytes) throws(TelegramSessionError) in
            try body(Row(table: self, id: id, values: Record(bytes).values), bytes)
        }
    }

    /// A row, whose values have the names of the columns.
    struct Row {
        fileprivate let table: Table
        fileprivate let id: Int64
        fileprivate let values: [Record.Value]

        /// - Returns: NULL also for a column that the table does not have.
        subscript(column: String) -> Record.Value {
            guard let index = table.columns.firstIndex(of: column) else { return .null }
            if column == table.idColumn { return .integer(id) }
            return index < values.count ? values[index] : .null
        }

        /// The number in a column; nil for NULL.
        /// - Throws: `.damaged` for other types.
        func integer(_ column: String) throws(TelegramSessionError) -> Int64? {
            switch self[column] {
            case .integer(let number): number
            case .null: nil
            case .real, .text, .bytes: throw .damaged
            }
        }
    }
}

extension Record.Value {
    /// The text, if it is one and not secret.
    func text(of row: Span<UInt8>) -> String? {
        guard case .text(let place) = self else { return nil }
        return row.extracting(place).revealText()
    }
}

extension String {
    fileprivate var trimmingQuotes: String { String(drop { "\"`[".contains($0) }.prefix { !"\"`]".contains($0) }) }
}
