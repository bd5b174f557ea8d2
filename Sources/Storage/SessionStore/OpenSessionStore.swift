public import AtomicFiles
internal import Primitives
public import SecureMemory

/// Many small sealed values of one owner in one file, `sessions.db`: nonces that were used, sessions, queues.
///
/// A value has a kind and a name. Whoever opens the store holds the owner's lock until it is closed. Not for use by
/// several threads at once.
public final class OpenSessionStore {
    /// Longest value, in bytes.
    public static let maxValueBytes = 1024 * 1024
    /// Longest name, in bytes.
    public static let maxNameBytes = 255

    /// What the store was found to be.
    public enum Origin: Equatable, Sendable {
        /// There was none; it is empty.
        case created
        /// The file is the one that was written here.
        case here
        /// The file comes from another machine, is a copy, or was restored. What is in it may be older than what was
        /// sent: sending from it again would use keys and counters twice.
        case copied
    }

    /// What the store was found to be. `copied` becomes `here` by `adopt`.
    public private(set) var origin: Origin

    private let database: Database
    private let sealer: ValueSealer
    private let place: StorePlace
    private let statements: Statements

    /// Opens the store of an owner, and makes it if there is none.
    /// - Parameters:
    ///   - directory: the owner's own, opened under the rule `.secret`.
    ///   - messenger: 1 to 255 bytes, as in the owner's records.
    ///   - id: 1 to 255 bytes.
    ///   - key: 32 bytes that are used for session stores only.
    /// - Throws: `.foreign`, `.unknownVersion`, and every other case but `.copied`.
    public convenience init(
        in directory: borrowing Directory, messenger: String, id: String, key: borrowing SecureBytes
    ) throws(SessionStoreError) {
        try self.init(
            in: directory, messenger: messenger, id: id, key: key, machine: StorePlace.thisMachine)
    }

    /// - Parameter machine: 16 bytes that no other machine has.
    package init(
        in directory: borrowing Directory, messenger: String, id: String, key: borrowing SecureBytes, machine: [UInt8]
    ) throws(SessionStoreError) {
        let (database, isNew) = try StoreFile.open(in: directory)
        let sealer = ValueSealer(messenger: messenger, id: id, key: key)
        let place: StorePlace
        do throws(FileError) {
            place = StorePlace(file: try directory.identity(of: StoreFile.name), machine: machine)
        } catch {
            throw .file(error)
        }
        if isNew {
            try Self.create(database, sealer, place)
            origin = .created
        } else {
            origin = try Self.storedPlace(database, sealer) == place ? .here : .copied
        }
        self.database = database
        self.sealer = sealer
        self.place = place
        statements = try Statements(database)
    }

    /// Makes the table and the first value at once.
    private static func create(
        _ database: Database, _ sealer: borrowing ValueSealer, _ place: StorePlace
    ) throws(SessionStoreError) {
        try database.run("BEGIN IMMEDIATE")
        do throws(SessionStoreError) {
            try StoreFile.makeSchema(in: database)
            try database.prepare(Statements.set).run(
                row(StorePlace.kind, StorePlace.name, sealer)
                    + [.blob(sealer.seal(place.encoded.span, StorePlace.kind, StorePlace.name))])
            try database.run("COMMIT")
        } catch {
            try? database.run("ROLLBACK")
            throw error
        }
    }

    /// - Throws: `.damaged` if there is none, or if it does not open under this key.
    private static func storedPlace(
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

    /// Closes the file. What its log holds moves into the file; if that fails, the next opening does it.
    public func close() {
        statements.finish()
        try? database.run("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()
    }

    deinit { close() }

    // MARK: Reading

    /// A value; nil if there is none of that kind and name.
    /// - Throws: `.damaged` for a value that does not open; `.system`.
    public func read(_ kind: ValueKind, _ name: [UInt8]) throws(SessionStoreError) -> SecureBytes? {
        guard let sealed = try statements.get.first(Self.row(kind, name, sealer), { $0.bytes(0) }) else { return nil }
        do {
            return try sealer.open(sealed, kind, name)
        } catch {
            throw .damaged(path: database.path)
        }
    }

    /// Whether there is a value of that kind and name, sound or not.
    public func contains(_ kind: ValueKind, _ name: [UInt8]) throws(SessionStoreError) -> Bool {
        try statements.find.first(Self.row(kind, name, sealer)) { _ in true } ?? false
    }

    /// How many values of a kind there are.
    public func count(of kind: ValueKind) throws(SessionStoreError) -> Int {
        try statements.count.first([.text(kind.text)]) { $0.number(0) } ?? 0
    }

    private static func row(_ kind: ValueKind, _ name: [UInt8], _ sealer: borrowing ValueSealer) -> [Statement
        .Parameter]
    {
        precondition((1...maxNameBytes).contains(name.count))
        return [.text(kind.text), .blob(sealer.digest(of: name))]
    }

    // MARK: Changing

    /// Makes all changes of `body` at once: whatever step the process dies at, they are all made or none is. When this
    /// returns, they survive a power cut.
    /// - Throws: `.copied` if the store is a copy, and then `body` is not called; what `body` throws, and then nothing
    ///   has changed; `.full`, and then nothing has changed. After any other error of the last step, the changes may
    ///   show at the next opening.
    public func transaction<Result: ~Copyable>(_ body: (borrowing Transaction) throws -> Result) throws -> Result {
        guard origin != .copied else { throw SessionStoreError.copied(path: database.path) }
        return try change(body)
    }

    /// Takes a copy into use: makes the changes of `body`, which removes what must not be used in two places, and
    /// remembers this machine and this file, all at once. For a store that is no copy, a transaction as any other.
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
        precondition(!database.isInTransaction, "a transaction in a transaction")
        try database.run("BEGIN IMMEDIATE")
        do {
            let result = try body(Transaction(store: self))
            try database.run("COMMIT")
            return result
        } catch {
            // After some errors SQLite has done it already.
            if database.isInTransaction { try? database.run("ROLLBACK") }
            throw error
        }
    }

    fileprivate func set(_ kind: ValueKind, _ name: [UInt8], _ value: Span<UInt8>) throws(SessionStoreError) {
        precondition(value.count <= Self.maxValueBytes)
        try statements.set.run(Self.row(kind, name, sealer) + [.blob(sealer.seal(value, kind, name))])
    }

    fileprivate func remove(_ kind: ValueKind, _ name: [UInt8]) throws(SessionStoreError) {
        try statements.remove.run(Self.row(kind, name, sealer))
    }

    fileprivate func removeAll(_ kind: ValueKind) throws(SessionStoreError) {
        try statements.removeAll.run([.text(kind.text)])
    }
}

/// Changes that are made together; see `OpenSessionStore.transaction`. Reading shows them already.
public struct Transaction: ~Copyable {
    /// For reading.
    public let store: OpenSessionStore

    fileprivate init(store: OpenSessionStore) { self.store = store }

    /// Sets a value, whether or not there is one.
    /// - Parameters:
    ///   - kind: not `store`, which is the store's own.
    ///   - name: 1 to 255 bytes.
    ///   - value: at most `OpenSessionStore.maxValueBytes` bytes.
    public func set(_ kind: ValueKind, _ name: [UInt8], _ value: Span<UInt8>) throws(SessionStoreError) {
        precondition(kind != StorePlace.kind)
        try store.set(kind, name, value)
    }

    /// Removes a value; one that is not there is fine.
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

/// The statements of a store, parsed once.
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

    /// Drops them all: the database cannot be closed before.
    func finish() { for statement in [get, find, count, set, remove, removeAll] { statement.finish() } }
}
