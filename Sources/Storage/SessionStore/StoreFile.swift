internal import AtomicFiles
internal import Encodings
internal import SecureMemory

// The file `sessions.db`: an SQLite database with a rollback journal and one table.
//
//   application_id   0x4b545331, "KTS1"
//   user_version     3
//   value            kind TEXT, name BLOB (16 bytes), sealed BLOB; see `SealedValue`
//
// While it is open, its journal is beside it as `sessions.db-journal`: zeros, except in a transaction. Version 2 was in
// WAL mode: its log kept values that were replaced.

/// How it is seen to that nothing is left of replaced values. Other than `full` in tests, which show what each part does.
struct StoreProtection: Sendable {
    /// Whether the files are those of CSQLiteFiles.
    var isErasing = true
    var journalMode = "PERSIST"
    var securesDeletion = true

    static let full = StoreProtection()
}

/// Opens the file of a store, or creates it.
enum StoreFile {
    static let name = "sessions.db"
    static let logName = name + "-wal"
    static let journalName = name + "-journal"
    static let version = 3
    private static let logVersion = 2

    /// The path of the file, for messages.
    static func path(in directory: borrowing Directory) -> String { directory.path(of: name) }

    private static let applicationID = 0x4b54_5331
    private static let table = """
        CREATE TABLE value (kind TEXT NOT NULL, name BLOB NOT NULL, sealed BLOB NOT NULL, PRIMARY KEY (kind, name)) \
        STRICT, WITHOUT ROWID
        """
    /// Longest value or row that SQLite reads or writes, in bytes: the longest sealed value and the other columns.
    private static let maxRowBytes = OpenSessionStore.maxValueBytes + 1024

    /// What to do about a file that is missing or empty.
    enum Absence {
        /// It becomes a store.
        case isFilled
        /// It is refused, and stays as it is: somebody may have emptied it.
        case isRefused
    }

    /// - Returns: the database, and whether it is new and has no table.
    static func open(
        in directory: borrowing Directory, absence: Absence = .isFilled, _ protection: StoreProtection = .full
    ) throws(SessionStoreError) -> (database: Database, isNew: Bool) {
        let isEmpty: Bool
        do throws(FileError) {
            // SQLite would create it with other permissions.
            if absence == .isFilled, try !directory.contains(name) { try directory.write(name, [UInt8]().span) }
            isEmpty = try requirePlainFiles(in: directory)
        } catch {
            throw .file(error)
        }
        // SQLite would fill it with the first page.
        guard !isEmpty || absence == .isFilled else { throw .damaged(path: path(in: directory)) }
        try requireJournalFormat(in: directory)
        let database = try connect(in: directory) { (path, shown) throws(SessionStoreError) in
            try Database(path: path, as: shown, isErasing: protection.isErasing)
        }
        let isNew = try prepare(database, protection) { () throws(SessionStoreError) in
            try database.lockAndRestore()
        }
        guard !isNew || absence == .isFilled else { throw .damaged(path: database.path) }
        return (database, isNew)
    }

    /// - Returns: whether the file is empty.
    private static func requirePlainFiles(in directory: borrowing Directory) throws(FileError) -> Bool {
        for file in [name, logName, journalName] where try directory.contains(file) {
            try directory.requirePlainFile(file)
        }
        return try directory.length(of: name) == 0
    }

    /// Refuses what CSQLiteFiles cannot read or write, before SQLite reads it: a file in WAL mode, as version 2, and one
    /// with automatic vacuum. Nobody changes these bytes of a store.
    private static func requireJournalFormat(in directory: borrowing Directory) throws(SessionStoreError) {
        var header = [UInt8](repeating: 0, count: 100)
        let hasLog: Bool
        do throws(FileError) {
            var bytes = header.mutableSpan
            _ = try directory.inputFile(name).read(into: &bytes, at: 0)
            hasLog = try directory.contains(logName)
        } catch {
            throw .file(error)
        }
        // fileformat2.html, 1.3: the versions of the format, and the largest page with a root.
        let isDatabase = header.starts(with: Array("SQLite format 3".utf8))
        let isInWALMode = isDatabase && (header[18] == 2 || header[19] == 2)
        if hasLog || isInWALMode { throw .unknownVersion(logVersion, path: path(in: directory)) }
        if isDatabase && header[52..<56] != [0, 0, 0, 0] { throw .foreign(path: path(in: directory)) }
    }

    /// A file that was opened, or the reason why it was not.
    enum Opening {
        case database(Database)
        case condition(StoreCondition)
    }

    /// Opens the file of a store so that nothing changes, also where nothing can be changed. The caller keeps the
    /// programs away that lock the owner, and this process has not opened the store: the end of a `RangeLock` would drop
    /// the locks of SQLite's other connection.
    static func openUnchanged(in directory: borrowing Directory) throws(SessionStoreError) -> Opening {
        // Before the look at the files. SQLite's own locks need a file that can be written.
        var lock: RangeLock?
        do throws(FileError) {
            lock = try directory.lockBytes(
                Database.lockedBytes.start, count: Database.lockedBytes.count, of: name)
            if try requirePlainFiles(in: directory) { return .condition(.emptied) }
        } catch {
            if case .locked(let path) = error { throw .busy(path: path) }
            throw .file(error)
        }
        try requireJournalFormat(in: directory)
        let database = try connect(in: directory) { (path, shown) throws(SessionStoreError) in
            try Database(reading: path, as: shown, lock: lock.take()!)
        }
        let isNew = try prepare(database, .full) {}
        try database.run("PRAGMA query_only = ON")
        return isNew ? .condition(.emptied) : .database(database)
    }

    /// Opens the file in this directory. It was checked that it is a plain one.
    /// - Parameter open: gets the path without links, and the one for messages.
    private static func connect(
        in directory: borrowing Directory, _ open: (String, String) throws(SessionStoreError) -> Database
    ) throws(SessionStoreError) -> Database {
        let path: String
        do throws(FileError) { path = try directory.currentPath() + "/" + name } catch { throw .file(error) }
        let database = try open(path, Self.path(in: directory))
        try compare(database, path: path, with: directory)
        return database
    }

    /// Checks that SQLite has opened the file in this directory: the path leads to it now, and the open file is the one
    /// at this path. (SQLite does not tell the latter of a file that it only reads. Values of another file do not open with
    /// this owner's key.)
    private static func compare(
        _ database: Database, path: String, with directory: borrowing Directory
    ) throws(SessionStoreError) {
        let isSame: Bool
        do throws(FileError) { isSame = try directory.holds(name, at: path) } catch { throw .file(error) }
        guard isSame, database.isWhereItWas else { throw .file(.wrongKind(path: database.path)) }
    }

    /// Sets the options that must be set before the file is read, and checks the schema.
    /// - Parameter lock: is called before the file is read.
    /// - Returns: whether the schema is missing.
    private static func prepare(
        _ database: Database, _ protection: StoreProtection, _ lock: () throws(SessionStoreError) -> Void
    ) throws(SessionStoreError) -> Bool {
        database.restrict(maxValueBytes: Int32(maxRowBytes))
        try database.run(
            """
            PRAGMA locking_mode = EXCLUSIVE;
            PRAGMA trusted_schema = OFF;
            PRAGMA cell_size_check = ON;
            PRAGMA mmap_size = 0;
            PRAGMA temp_store = MEMORY;
            PRAGMA secure_delete = \(protection.securesDeletion ? "ON" : "OFF");
            """)
        try lock()
        // These read the file. With so few pages, the first byte of all others than those of b-trees is 0.
        try database.run(
            """
            PRAGMA synchronous = FULL;
            PRAGMA journal_mode = \(protection.journalMode);
            PRAGMA max_page_count = \(1 << 24 - 1);
            """)
        return try compareSchema(of: database)
    }

    private static func compareSchema(of database: Database) throws(SessionStoreError) -> Bool {
        let application = try database.number("PRAGMA application_id") ?? 0
        let version = try database.number("PRAGMA user_version") ?? 0
        let schema = try database.prepare("SELECT coalesce(sql, name) FROM sqlite_schema")
        var entries: [[UInt8]] = []
        while try schema.step() {
            guard entries.count < 2 else { throw .foreign(path: database.path) }
            entries.append(schema.bytes(0))
        }
        if entries.isEmpty && application == 0 && version == 0 { return true }
        guard application == applicationID else { throw .foreign(path: database.path) }
        guard version == Self.version else { throw .unknownVersion(version, path: database.path) }
        guard entries == [Array(table.utf8)] else { throw .foreign(path: database.path) }
        return false
    }

    /// Creates the table. The caller has begun a transaction.
    static func makeSchema(in database: Database) throws(SessionStoreError) {
        try database.run(
            "\(table); PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
    }
}

/// The machine and the file on which a store was last adopted: its value of the kind `store`.
///
///     offset  length  meaning
///          0       1  1, the version
///          1       8  inode's number, big endian
///          9       8  when the inode was made, nanoseconds since the epoch, big endian; 0 if unknown
///         17      16  machine id; zeros if the machine has none
struct StorePlace: Equatable {
    static let kind: ValueKind = "store"
    static let name = Array("place".utf8)
    static let machineCount = 16

    let file: FileIdentity
    let machine: [UInt8]

    /// That of no file. A store with it is a copy wherever it is opened: no file has the inode 0.
    static let nowhere = StorePlace(
        file: FileIdentity(inode: 0, birth: 0), machine: [UInt8](repeating: 0, count: machineCount))

    /// The machine id of this system, 16 bytes (machine-id(5)); zeros if it has none.
    static var thisMachine: [UInt8] {
        let none = [UInt8](repeating: 0, count: machineCount)
        guard let etc = try? Directory.open("/etc", rule: .shared),
            let text = try? etc.readPublic("machine-id", limit: 64)
        else { return none }
        let line = text.prefix { $0 != UInt8(ascii: "\n") }
        guard let bytes = Hex.decode(String(decoding: line, as: UTF8.self)), bytes.count == machineCount else {
            return none
        }
        return bytes
    }

    var encoded: [UInt8] { [1] + Self.bytes(file.inode) + Self.bytes(file.birth) + machine }

    init(file: FileIdentity, machine: [UInt8]) {
        precondition(machine.count == Self.machineCount)
        self.file = file
        self.machine = machine
    }

    /// - Returns: nil unless `encoded` made the bytes.
    init?(_ bytes: Span<UInt8>) {
        guard bytes.count == 17 + Self.machineCount, bytes[0] == 1 else { return nil }
        file = FileIdentity(inode: Self.number(bytes, 1), birth: Self.number(bytes, 9))
        machine = bytes.extracting(17..<bytes.count).revealBytes()
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    private static func number(_ bytes: Span<UInt8>, _ start: Int) -> UInt64 {
        (start..<start + 8).reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
    }
}
