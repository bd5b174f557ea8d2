internal import AtomicFiles
internal import CSQLite
internal import CSQLiteFiles
internal import Glibc

/// A connection to an SQLite file. While it can write, other connections to the file are excluded. While it only reads,
/// those are excluded that write; if this account cannot write the file, others can read it, too.
@safe
final class Database {
    /// The path, for messages.
    let path: String
    private var handle: OpaquePointer?
    /// Excludes connections that write while this one only reads: it is shared if this account cannot write the file.
    private var lock: RangeLock?

    /// The bytes that all connections of SQLite to a file lock: file format, 1.3, "The Lock-Byte Page"; os.h,
    /// `PENDING_BYTE` and those behind it.
    static let lockedBytes = (start: Int64(0x4000_0000), count: Int64(512))

    /// Opens an existing file.
    /// - Parameters:
    ///   - path: absolute, without links.
    ///   - isErasing: whether what is replaced is overwritten.
    /// - Throws: `SessionStoreError`.
    convenience init(path: String, as shownPath: String, isErasing: Bool) throws(SessionStoreError) {
        let files = isErasing ? KEYTOOL_SQLITE_ERASING : "unix"
        try self.init(path: path, SQLITE_OPEN_READWRITE, files, as: shownPath, lock: nil)
    }

    /// Opens an existing file and never changes anything: neither the file nor its journal, nor the names beside it.
    ///
    /// By itself SQLite would restore the file from a journal, and lock it in a way that needs the permission to write.
    /// Going without its locks is right only if nobody else changes the file: `lock` sees to that.
    /// - Parameters:
    ///   - path: absolute, without links.
    ///   - lock: of `lockedBytes`.
    /// - Throws: `SessionStoreError`.
    convenience init(reading path: String, as shownPath: String, lock: consuming RangeLock) throws(SessionStoreError) {
        try self.init(path: path, SQLITE_OPEN_READONLY, KEYTOOL_SQLITE_READING, as: shownPath, lock: lock)
    }

    /// The files of CSQLiteFiles, registered once.
    private static let registration = keytool_sqlite_register_files()

    private init(
        path: String, _ flags: Int32, _ files: String, as shownPath: String, lock: consuming RangeLock?
    ) throws(SessionStoreError) {
        self.path = shownPath
        self.lock = lock
        guard Self.registration == SQLITE_OK else { throw failure(Self.registration) }
        // No URI, no link followed, no file made here; this type is used by one thread at a time.
        let flags = flags | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
        let result = unsafe sqlite3_open_v2(path, &handle, flags, files)
        guard result == SQLITE_OK else {
            let failure = failure(result)
            close()
            throw failure
        }
        unsafe sqlite3_extended_result_codes(handle, 1)
    }

    deinit { close() }

    /// Ends the connection. Finish its statements first.
    func close() {
        unsafe sqlite3_close_v2(handle)
        unsafe handle = nil
        lock = nil
    }

    /// Whether the opened path still leads to the open file.
    var isWhereItWas: Bool { unsafe keytool_sqlite_has_moved(handle) == 0 }

    /// Sets the limits and options of this connection.
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

    /// Excludes all other connections until this one ends, in the locking mode EXCLUSIVE. If a program was killed in a transaction, its journal is first
    /// examined, and the file restored from it; then the journal is overwritten.
    /// - Throws: `.busy`; `.damaged` for a journal that is damaged. Then nothing has changed. `SessionStoreError`.
    func lockAndRestore() throws(SessionStoreError) {
        try run("BEGIN EXCLUSIVE; COMMIT")
        let result = unsafe keytool_sqlite_erase_journal(handle)
        guard result == SQLITE_OK else { throw failure(result) }
    }

    /// Removes the journal, which is erased and stays between transactions otherwise. Best effort; errors are ignored.
    func removeJournal() { try? run("PRAGMA locking_mode = NORMAL; PRAGMA journal_mode = DELETE") }

    /// Executes statements and ignores their rows.
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

    /// The number in the first column of a statement's first row; nil without a row.
    func number(_ text: String) throws(SessionStoreError) -> Int? {
        let statement = try prepare(text)
        return try statement.step() ? statement.number(0) : nil
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { unsafe handle != nil && sqlite3_get_autocommit(handle) == 0 }

    /// The error of a result code.
    func failure(_ result: Int32) -> SessionStoreError {
        // The handle knows no error of what was done to the journal beside it.
        let known = unsafe handle.map { unsafe sqlite3_extended_errcode($0) } ?? result
        let code = known & 0xff == result & 0xff ? known : result
        let system = unsafe handle.map { unsafe sqlite3_system_errno($0) } ?? 0
        let isFull = result & 0xff == SQLITE_IOERR && (system == ENOSPC || system == EDQUOT)
        if code == KEYTOOL_SQLITE_UNERASED { return .unerased(path: path) }
        return switch result & 0xff {
        case SQLITE_FULL: .full(path: path)
        case _ where isFull: .full(path: path)
        // A row that violates the table's constraints, or is too long, was not written by this program.
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_CONSTRAINT: .damaged(path: path)
        // The file is sound, but SQLite cannot read its schema.
        case SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_AUTH: .foreign(path: path)
        case SQLITE_BUSY, SQLITE_LOCKED: .busy(path: path)
        default: .system(path: path, code: code, errno: system)
        }
    }
}
