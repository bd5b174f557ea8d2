internal import CSQLite
internal import Glibc

/// A connection to one SQLite file, which no other connection may use meanwhile.
@safe
final class Database {
    /// For messages.
    let path: String
    private var handle: OpaquePointer?

    /// Opens an existing file.
    /// - Parameter path: absolute, without links.
    /// - Throws: `SessionStoreError`.
    init(path: String, as shownPath: String) throws(SessionStoreError) {
        self.path = shownPath
        // No URI, no file made here, no link followed; this type is used by one thread at a time.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
        let result = unsafe sqlite3_open_v2(path, &handle, flags, nil)
        guard result == SQLITE_OK else {
            let failure = failure(result)
            close()
            throw failure
        }
        unsafe sqlite3_extended_result_codes(handle, 1)
    }

    deinit { close() }

    /// Ends the connection. Statements have to be finished before.
    func close() {
        unsafe sqlite3_close_v2(handle)
        unsafe handle = nil
    }

    /// Whether the path that was opened still leads to the file that is open.
    var isWhereItWas: Bool { unsafe keytool_sqlite_has_moved(handle) == 0 }

    /// Bounds and settings that hold for this connection.
    func restrict(maxValueBytes: Int32) {
        for option in [SQLITE_DBCONFIG_DEFENSIVE] { unsafe keytool_sqlite_configure(handle, Int32(option), 1) }
        for option in [
            SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
            SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
        ] {
            unsafe keytool_sqlite_configure(handle, Int32(option), 0)
        }
        unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, maxValueBytes)
        unsafe sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
    }

    /// Carries out statements that return nothing of interest.
    func run(_ statements: String) throws(SessionStoreError) {
        let result = unsafe sqlite3_exec(handle, statements, nil, nil, nil)
        guard result == SQLITE_OK else { throw failure(result) }
    }

    /// - Parameter text: one statement.
    func prepare(_ text: String) throws(SessionStoreError) -> Statement {
        var statement: OpaquePointer?
        let result = unsafe sqlite3_prepare_v3(
            handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard result == SQLITE_OK, let statement = unsafe statement else { throw failure(result) }
        return unsafe Statement(adopting: statement, of: self)
    }

    /// The number that the first row of a statement begins with; nil without a row.
    func number(_ text: String) throws(SessionStoreError) -> Int? {
        let statement = try prepare(text)
        return try statement.step() ? statement.number(0) : nil
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { unsafe handle != nil && sqlite3_get_autocommit(handle) == 0 }

    /// What a result code means.
    func failure(_ result: Int32) -> SessionStoreError {
        let code = unsafe handle.map { unsafe sqlite3_extended_errcode($0) } ?? result
        let system = unsafe handle.map { unsafe sqlite3_system_errno($0) } ?? 0
        let isFull = result & 0xff == SQLITE_IOERR && (system == ENOSPC || system == EDQUOT)
        return switch result & 0xff {
        case SQLITE_FULL: .full(path: path)
        case _ where isFull: .full(path: path)
        // A row that does not fit the table's constraints, or is longer than any value of ours, was written by others.
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_CONSTRAINT: .damaged(path: path)
        // The file is sound, but its schema is not of a form that SQLite reads.
        case SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_AUTH: .foreign(path: path)
        case SQLITE_BUSY, SQLITE_LOCKED: .busy(path: path)
        default: .system(path: path, code: code, errno: system)
        }
    }
}
