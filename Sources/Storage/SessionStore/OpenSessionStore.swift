public import AtomicFiles
internal import Primitives
public import SecureMemory

/// Many small sealed values of one owner in one file, `sessions.db`: used nonces, sessions, queues.
///
/// A value has a kind and a name. Hold the owner's lock while the store is open, and use it from one thread at a time.
public final class OpenSessionStore {
    /// Longest value, in bytes.
    public static let maxValueBytes = 1024 * 1024
    /// Longest name, in bytes.
    public static let maxNameBytes = 255

    /// The origin of the store's file.
    public enum Origin: Equatable, Sendable {
        /// The store was created now and is empty.
        case created
        /// This program wrote this file on this machine.
        case here
        /// The file comes from another machine, is a copy, or was restored. Its values may be older than what was sent,
        /// so sending with them could use keys and counters twice.
        case copied
    }

    /// The origin of the store's file. `adopt` changes `copied` to `here`.
    public private(set) var origin: Origin

    let database: Database
    let sealer: ValueSealer
    private let place: StorePlace
    private let statements: Statements
    /// Whether the store was opened for reading only.
    private let isReading: Bool
    /// The first change that failed in the present transaction.
    private var failure: SessionStoreError?

    /// Opens the store of an owner, or creates it.
    /// - Parameters:
    ///   - directory: the owner's directory, opened with the rule `.secret`.
    ///   - messenger: 1 to 255 bytes, as in the owner's records.
    ///   - id: 1 to 255 bytes.
    ///   - key: 32 bytes that are used for session stores only.
    /// - Throws: all cases except `.copied`.
    public convenience init(
        in directory: borrowing Directory, messenger: String, id: String, key: borrowing SecureBytes
    ) throws(SessionStoreError) {
        try self.init(
            in: directory, messenger: messenger, id: id, key: key, machine: StorePlace.thisMachine)
    }

    /// Opens the store of an owner for reading only: nothing changes, and nothing needs to be writable. If a program was
    /// killed in a transaction, the store is as it was before. Do not call `transaction` and `adopt`.
    /// - Throws: as `init(in:messenger:id:key:)`; `.damaged` for a file that is empty.
    package convenience init(
        readingIn directory: borrowing Directory, messenger: String, id: String, key: borrowing SecureBytes
    ) throws(SessionStoreError) {
        let database: Database
        switch try StoreFile.openUnchanged(in: directory) {
        case .database(let opened): database = opened
        case .condition: throw .damaged(path: StoreFile.path(in: directory))
        }
        try self.init(
            database, isNew: false, in: directory, ValueSealer(messenger: messenger, id: id, key: key),
            machine: StorePlace.thisMachine, isReading: true)
    }

    /// Opens the store of an owner, and creates none.
    /// - Throws: as `init(in:messenger:id:key:)`; `.damaged` for a file that is empty. It stays as it is.
    package convenience init(
        existingIn directory: borrowing Directory, messenger: String, id: String, key: borrowing SecureBytes
    ) throws(SessionStoreError) {
        try self.init(
            in: directory, messenger: messenger, id: id, key: key, machine: StorePlace.thisMachine,
            absence: .isRefused)
    }

    /// - Parameter machine: 16 bytes, unique to the machine.
    package convenience init(
        in directory: borrowing Directory, messenger: String, id: String, key: borrowing SecureBytes, machine: [UInt8]
    ) throws(SessionStoreError) {
        try self.init(
            in: directory, messenger: messenger, id: id, key: key, machine: machine, absence: .isFilled)
    }

    convenience init(
        in directory: borrowing Directory, messenger: String, id: String, key: borrowing SecureBytes, machine: [UInt8],
        absence: StoreFile.Absence, _ protection: StoreProtection = .full
    ) throws(SessionStoreError) {
        let (database, isNew) = try StoreFile.open(in: directory, absence: absence, protection)
        try self.init(
            database, isNew: isNew, in: directory, ValueSealer(messenger: messenger, id: id, key: key),
            machine: machine, isReading: false)
    }

    private init(
        _ database: Database, isNew: Bool, in directory: borrowing Directory, _ sealer: consuming ValueSealer,
        machine: [UInt8], isReading: Bool
    ) throws(SessionStoreError) {
        let place: StorePlace
        do throws(FileError) {
            place = StorePlace(file: try directory.identity(of: StoreFile.name), machine: machine)
        } catch {
            throw .file(error)
        }
        if isNew {
            try Self.create(database, sealer, place, holding: nil)
            origin = .created
        } else {
            origin = try Self.storedPlace(database, sealer) == place ? .here : .copied
        }
        self.database = database
        self.sealer = sealer
        self.place = place
        self.isReading = isReading
        statements = try Statements(database)
    }

    /// Creates the table and the first values at once.
    static func create(
        _ database: Database, _ sealer: borrowing ValueSealer, _ place: StorePlace, holding values: ExportedValues?
    ) throws(SessionStoreError) {
        try database.run("BEGIN IMMEDIATE")
        do throws(SessionStoreError) {
            try StoreFile.makeSchema(in: database)
            let set = try database.prepare(Statements.set)
            func put(_ kind: ValueKind, _ name: [UInt8], _ value: Span<UInt8>) throws(SessionStoreError) {
                try set.run(row(kind, name, sealer) + [.blob(sealer.seal(value, kind, name))])
            }
            try put(StorePlace.kind, StorePlace.name, place.encoded.span)
            try values?.forEach(put)
            set.finish()
            try database.run("COMMIT")
        } catch {
            try? database.run("ROLLBACK")
            throw error
        }
    }

    /// - Throws: `.damaged` if it is missing, or if it does not open with this key.
    static func storedPlace(
        _ database: Database, _ sealer: borrowing ValueSealer
    ) throws(SessionStoreError) -> StorePlace {
        let sealed = try database.prepare(Statements.get).first(row(StorePlace.kind, StorePlace.name, sealer)) {
            $0.bytes(0)
        }
        guard let sealed, let value = try? sealer.open(sealed, StorePlace.kind, StorePlace.name),
            let place = value.withBytes({ StorePlace($0) })
        else { throw .damaged(path: database.path) }
        return place
    }

    /// Closes the file, and removes its journal; one that was opened for reading only stays as it is.
    public func close() {
        statements.finish()
        if !isReading { database.removeJournal() }
        database.close()
    }

    deinit { close() }

    // MARK: Reading

    /// Decrypts a value.
    /// - Returns: nil if the value does not exist.
    /// - Throws: `.damaged` for a value that does not open; `.system`.
    public func read(_ kind: ValueKind, _ name: [UInt8]) throws(SessionStoreError) -> SecureBytes? {
        guard let sealed = try statements.get.first(Self.row(kind, name, sealer), { $0.bytes(0) }) else { return nil }
        do {
            return try sealer.open(sealed, kind, name)
        } catch {
            throw .damaged(path: database.path)
        }
    }

    /// Whether a value of that kind and name exists. It may be damaged.
    public func contains(_ kind: ValueKind, _ name: [UInt8]) throws(SessionStoreError) -> Bool {
        try statements.find.first(Self.row(kind, name, sealer)) { _ in true } ?? false
    }

    /// The number of values of a kind.
    public func count(of kind: ValueKind) throws(SessionStoreError) -> Int {
        try statements.count.first([.text(kind.text)]) { $0.number(0) } ?? 0
    }

    /// Opens all values of a kind, one at a time, in no order that means something.
    /// - Parameter body: gets name and value, in guarded memory; no name and no bytes for a value that does not open.
    /// - Throws: `.system`; `.damaged` if SQLite cannot read on; what `body` throws.
    package func forEach(_ kind: ValueKind, _ body: (_ name: [UInt8]?, _ value: Span<UInt8>) throws -> Void) throws {
        let rows = try StoredRows(in: database, of: kind)
        while try rows.next() != nil {
            let named: SecureBytes
            do {
                named = try rows.open(kind, sealer)
            } catch .damaged {
                try body(nil, Span())
                continue
            }
            try named.withBytes { named in
                let nameEnd = 1 + Int(named[0])
                try body(named.extracting(1..<nameEnd).revealBytes(), named.extracting(nameEnd..<named.count))
            }
        }
    }

    private static func row(_ kind: ValueKind, _ name: [UInt8], _ sealer: borrowing ValueSealer) -> [Statement
        .Parameter]
    {
        precondition((1...maxNameBytes).contains(name.count))
        return [.text(kind.text), .blob(sealer.digest(of: name))]
    }

    // MARK: Changing

    /// Makes all changes of `body` at once: if the process dies, either all of them are made or none. After this
    /// returns, they survive a power cut, and the files of the store contain nothing of replaced and removed values.
    /// - Throws: `.copied` for a copied store, without calling `body`; the error of `body`; `.full`. Then nothing has
    ///   changed. `.unerased`: then the changes were made. After any other error of the last step, the changes may be
    ///   visible at the next opening.
    public func transaction<Result: ~Copyable>(_ body: (borrowing Transaction) throws -> Result) throws -> Result {
        guard origin != .copied else { throw SessionStoreError.copied(path: database.path) }
        return try change(body)
    }

    /// Takes a copied store into use: makes the changes of `body`, which removes values that must not be used in two
    /// places, and saves this machine and this file, all at once. For other stores this is an ordinary transaction.
    public func adopt<Result: ~Copyable>(_ body: (borrowing Transaction) throws -> Result) throws -> Result {
        let result = try change { transaction in
            let result = try body(transaction)
            try set(StorePlace.kind, StorePlace.name, place.encoded.span)
            return result
        }
        if origin == .copied { origin = .here }
        return result
    }

    private func change<Result: ~Copyable>(_ body: (borrowing Transaction) throws -> Result) throws -> Result {
        precondition(!isReading, "a change of a store that was opened for reading")
        precondition(!database.isInTransaction, "a transaction in a transaction")
        failure = nil
        try database.run("BEGIN IMMEDIATE")
        do {
            let result = try body(Transaction(store: self))
            // After some errors SQLite has rolled back, and would commit later changes alone.
            if let failure { throw failure }
            try database.run("COMMIT")
            return result
        } catch {
            // After some errors SQLite has rolled back already.
            if database.isInTransaction { try? database.run("ROLLBACK") }
            throw error
        }
    }

    fileprivate func set(_ kind: ValueKind, _ name: [UInt8], _ value: Span<UInt8>) throws(SessionStoreError) {
        precondition(value.count <= Self.maxValueBytes)
        try write(statements.set, Self.row(kind, name, sealer) + [.blob(sealer.seal(value, kind, name))])
    }

    fileprivate func remove(_ kind: ValueKind, _ name: [UInt8]) throws(SessionStoreError) {
        try write(statements.remove, Self.row(kind, name, sealer))
    }

    fileprivate func removeAll(_ kind: ValueKind) throws(SessionStoreError) {
        try write(statements.removeAll, [.text(kind.text)])
    }

    /// After one change has failed, no other one of the same transaction is made, even if `body` catches the error.
    private func write(_ statement: Statement, _ values: [Statement.Parameter]) throws(SessionStoreError) {
        if let failure { throw failure }
        do throws(SessionStoreError) {
            try statement.run(values)
        } catch {
            failure = error
            throw error
        }
    }
}

/// The changes of `OpenSessionStore.transaction`. Reads see them at once.
public struct Transaction: ~Copyable {
    /// The store whose changes these are. Its reads see them already.
    public let store: OpenSessionStore

    fileprivate init(store: OpenSessionStore) { self.store = store }

    /// Sets a value, and replaces an existing one.
    /// - Parameters:
    ///   - kind: any except `store`, which is reserved.
    ///   - name: 1 to 255 bytes.
    ///   - value: at most `OpenSessionStore.maxValueBytes` bytes.
    public func set(_ kind: ValueKind, _ name: [UInt8], _ value: Span<UInt8>) throws(SessionStoreError) {
        precondition(kind != StorePlace.kind)
        try store.set(kind, name, value)
    }

    /// Removes a value. A missing value is not an error.
    public func remove(_ kind: ValueKind, _ name: [UInt8]) throws(SessionStoreError) {
        precondition(kind != StorePlace.kind)
        try store.remove(kind, name)
    }

    /// Removes all values of a kind.
    public func removeAll(_ kind: ValueKind) throws(SessionStoreError) {
        precondition(kind != StorePlace.kind)
        try store.removeAll(kind)
    }
}

/// The statements of a store, which are compiled once.
private struct Statements {
    static let get = "SELECT sealed FROM value WHERE kind = ? AND name = ?"
    static let set = "INSERT OR REPLACE INTO value (kind, name, sealed) VALUES (?, ?, ?)"

    let get: Statement
    let find: Statement
    let count: Statement
    let set: Statement
    let remove: Statement
    let removeAll: Statement

    init(_ database: Database) throws(SessionStoreError) {
        get = try database.prepare(Self.get)
        find = try database.prepare("SELECT 1 FROM value WHERE kind = ? AND name = ?")
        count = try database.prepare("SELECT count(*) FROM value WHERE kind = ?")
        set = try database.prepare(Self.set)
        remove = try database.prepare("DELETE FROM value WHERE kind = ? AND name = ?")
        removeAll = try database.prepare("DELETE FROM value WHERE kind = ?")
    }

    /// Finishes all statements, before the database is closed.
    func finish() { for statement in [get, find, count, set, remove, removeAll] { statement.finish() } }
}
