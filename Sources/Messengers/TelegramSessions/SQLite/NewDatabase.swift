internal import SecureMemory
internal import Telegram

// An SQLite database that is made as a whole: one page of 4,096 bytes for the schema, and one for each table and index,
// all of them leaves (fileformat2.html, 1.3, 1.6, 2.6). SQLite does not run, so the key is nowhere but in the result.

/// The content of a new database.
struct NewDatabase {
    /// A value of a row.
    enum Value {
        case null
        case integer(Int64)
        case text(String)
        case key(HeldAuthorizationKey)
    }

    /// A row and its ID. The column that is another name of the ID is NULL in it.
    typealias Row = (id: Int64, values: [Value])

    private typealias Cell = [SecretPiece]

    private static let pageCount = 4096
    private static let headerCount = 100
    private var schema: [Row] = []
    private var pages: [(isTable: Bool, rows: [Row])] = []

    /// Adds a table.
    /// - Parameter columns: what stands in the brackets of `CREATE TABLE`.
    mutating func table(_ name: String, _ columns: String, _ rows: [Row] = []) {
        add("table", name, of: name, "CREATE TABLE \(name) (\(columns))")
        pages.append((true, rows))
    }

    /// Adds an index of a table without rows.
    /// - Parameter columns: what stands in the brackets of `CREATE INDEX`; nil for that of a table's primary key.
    mutating func index(_ name: String, of table: String, _ columns: String?) {
        add("index", name, of: table, columns.map { "CREATE INDEX \(name) ON \(table) (\($0))" })
        pages.append((false, []))
    }

    private mutating func add(_ type: String, _ name: String, of table: String, _ statement: String?) {
        let root = Int64(pages.count + 2)
        let values: [Value] = [
            .text(type), .text(name), .text(table), .integer(root), statement.map { .text($0) } ?? .null,
        ]
        schema.append((Int64(schema.count + 1), values))
    }

    /// The bytes of the file. All rows of a table have to fit into a page.
    func encoded() -> SecureBytes {
        var file = SecureBuffer(capacity: (pages.count + 1) * Self.pageCount)
        file.append(header.span)
        Self.append(true, schema, after: Self.headerCount, to: &file)
        for page in pages { Self.append(page.isTable, page.rows, after: 0, to: &file) }
        return file.finish()
    }

    /// Offsets 16 to 23: page size, no log, unused bytes, constants; 24: change counter; 28: number of pages; 40:
    /// counter and format of the schema; 56: UTF-8; 92: change counter and version of SQLite for which 28 is valid.
    private var header: [UInt8] {
        var header =
            Array("SQLite format 3\0".utf8) + bigEndian(UInt64(Self.pageCount), count: 2) + [1, 1, 0, 64, 32, 32]
        for number in [1, UInt64(pages.count + 1), 0, 0, 1, 4, 0, 0, 1] { header += bigEndian(number, count: 4) }
        header += [UInt8](repeating: 0, count: 92 - header.count)
        return header + bigEndian(1, count: 4) + bigEndian(3_040_001, count: 4)
    }

    private static func append(_ isTable: Bool, _ rows: [Row], after start: Int, to file: inout SecureBuffer) {
        let cells = rows.map { cell($0) }
        let counts = cells.map { $0.reduce(0) { $0 + $1.count } }
        let first = pageCount - counts.reduce(0, +)
        let head = start + 8 + 2 * cells.count
        precondition(head <= first, "more rows than fit into a page")
        var bytes = [isTable ? 13 : 10, 0, 0] as [UInt8]
        bytes += bigEndian(UInt64(cells.count), count: 2) + bigEndian(UInt64(first), count: 2) + [0]
        var place = first
        for count in counts {
            bytes += bigEndian(UInt64(place), count: 2)
            place += count
        }
        bytes += [UInt8](repeating: 0, count: first - head)
        file.append(bytes.span)
        for piece in cells.joined() { piece.append(to: &file) }
    }

    private static func cell(_ row: Row) -> Cell {
        let values = row.values.map { encoded($0) }
        let types = values.flatMap { varint($0.type) }
        // One byte for a header of up to 127 bytes.
        let header = varint(UInt64(types.count + 1)) + types
        let count = header.count + values.reduce(0) { $0 + ($1.content?.count ?? 0) }
        return [.plain(varint(UInt64(count)) + varint(UInt64(bitPattern: row.id)) + header)]
            + values.compactMap(\.content)
    }

    /// Type and content of a value (`Record`).
    private static func encoded(_ value: Value) -> (type: UInt64, content: SecretPiece?) {
        switch value {
        case .null: return (0, nil)
        case .integer(let number) where number == 0 || number == 1: return (UInt64(8 + number), nil)
        case .integer(let number):
            let (type, count): (UInt64, Int) =
                Int8(exactly: number) != nil
                ? (1, 1)
                : Int16(exactly: number) != nil ? (2, 2) : Int32(exactly: number) != nil ? (4, 4) : (6, 8)
            return (type, .plain(bigEndian(UInt64(bitPattern: number), count: count)))
        case .text(let text): return (UInt64(13 + 2 * text.utf8.count), .plain(Array(text.utf8)))
        case .key(let held): return (UInt64(12 + 2 * AuthorizationKey.count), .key(held))
        }
    }

    private static func varint(_ number: UInt64) -> [UInt8] {
        var bytes = [UInt8(number & 0x7f)]
        var rest = number >> 7
        while rest > 0 {
            bytes.insert(UInt8(rest & 0x7f) | 0x80, at: 0)
            rest >>= 7
        }
        return bytes
    }
}
