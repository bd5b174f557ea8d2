internal import CSQLite

/// A compiled statement, which can be executed many times: bind, step, read the columns, reset.
@safe
final class Statement {
    private let database: Database
    private var handle: OpaquePointer?

    init(adopting handle: OpaquePointer, of database: Database) {
        unsafe self.handle = handle
        self.database = database
    }

    deinit { finish() }

    /// Drops the statement; carried out afterwards, it fails.
    func finish() {
        unsafe sqlite3_finalize(handle)
        unsafe handle = nil
    }

    /// Sets the parameters, from the first one on.
    func bind(_ parameters: [Parameter]) throws(SessionStoreError) {
        for (index, parameter) in parameters.enumerated() {
            let index = Int32(index + 1)
            let result =
                switch parameter {
                case .text(let text): unsafe keytool_sqlite_bind_text(handle, index, text)
                case .blob(let bytes): unsafe keytool_sqlite_bind_blob(handle, index, bytes, Int32(bytes.count))
                }
            guard result == SQLITE_OK else { throw database.failure(result) }
        }
    }

    /// - Returns: whether a row was read.
    func step() throws(SessionStoreError) -> Bool {
        let result = unsafe sqlite3_step(handle)
        guard result == SQLITE_ROW || result == SQLITE_DONE else { throw database.failure(result) }
        return result == SQLITE_ROW
    }

    /// Binds, passes the first row to `body`, and resets.
    /// - Returns: nil without a row.
    func first<Result>(
        _ parameters: [Parameter], _ body: (Statement) -> Result
    ) throws(SessionStoreError) -> Result? {
        defer { reset() }
        try bind(parameters)
        return try step() ? body(self) : nil
    }

    /// Executes a statement without rows.
    func run(_ parameters: [Parameter]) throws(SessionStoreError) {
        defer { reset() }
        try bind(parameters)
        _ = try step()
    }

    /// Resets the statement, which otherwise locks pages of the file.
    func reset() { unsafe sqlite3_reset(handle) }

    /// The bytes of a column of this row; empty for NULL.
    func bytes(_ column: Int32) -> [UInt8] {
        let start = unsafe sqlite3_column_blob(handle, column)
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: unsafe start == nil ? 0 : count))
    }

    /// The number in a column of this row; 0 for other types.
    func number(_ column: Int32) -> Int { Int(unsafe sqlite3_column_int64(handle, column)) }

    /// The value of a parameter.
    enum Parameter {
        case text(String)
        case blob([UInt8])
    }
}
