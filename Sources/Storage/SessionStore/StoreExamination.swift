package import AtomicFiles
internal import Primitives
package import SecureMemory

/// What an examination of a store finds. Nothing in it is secret.
package enum StoreCondition: Hashable, Sendable {
    /// Every value opens.
    case sound
    /// Every value opens, but the file is a copy or was restored: its program has to end the sessions first.
    case copied
    /// The file is empty or has no table: somebody has emptied it.
    case emptied
    /// The database is sound, but was sealed with another key: the file is that of another identity or keystore.
    case otherKey
    /// The database or its journal is damaged, or a value does not open.
    case damaged
    /// The database was not made by this program.
    case foreign
    /// The store is of another version.
    case unknownVersion
    /// Another program has opened the file. It was not examined.
    case inUse
}

extension OpenSessionStore {
    /// Reads a whole store and changes nothing: neither the file nor its journal. It does not wait for another program.
    ///
    /// The memory used does not depend on the length of the file: one value of at most 1 MiB is opened at a time.
    /// - Parameters:
    ///   - directory: as for `init`. It has a store.
    ///   - messenger: as for `init`.
    ///   - id: as for `init`.
    ///   - key: as for `init`.
    /// - Throws: `.file`; `.system`. Any other failure is a condition.
    package static func examine(
        in directory: borrowing Directory, messenger: String, id: String, key: borrowing SecureBytes
    ) throws(SessionStoreError) -> StoreCondition {
        do throws(SessionStoreError) {
            switch try StoreFile.openUnchanged(in: directory) {
            case .condition(let condition): return condition
            case .database(let database):
                defer { database.close() }
                return try examine(database, ValueSealer(messenger: messenger, id: id, key: key), in: directory)
            }
        } catch {
            switch error {
            case .damaged: return .damaged
            case .foreign: return .foreign
            case .unknownVersion: return .unknownVersion
            case .busy: return .inUse
            case .file, .full, .copied, .unerased, .system: throw error
            }
        }
    }

    private static func examine(
        _ database: Database, _ sealer: borrowing ValueSealer, in directory: borrowing Directory
    ) throws(SessionStoreError) -> StoreCondition {
        guard try isSound(database) else { return .damaged }
        guard try hasName(of: sealer, database) else {
            // The name of this value is a digest under the key. One of another key is that of another owner.
            return try hasPlace(database) ? .otherKey : .damaged
        }
        let stored = try storedPlace(database, sealer)
        try openEveryValue(in: database, sealer)
        do throws(FileError) {
            let here = StorePlace(file: try directory.identity(of: StoreFile.name), machine: StorePlace.thisMachine)
            return stored == here ? .sound : .copied
        } catch {
            throw .file(error)
        }
    }

    /// Whether SQLite finds no fault in the structure of the file.
    private static func isSound(_ database: Database) throws(SessionStoreError) -> Bool {
        let check = try database.prepare("PRAGMA quick_check(1)")
        defer { check.finish() }
        return try check.step() && check.bytes(0) == Array("ok".utf8)
    }

    /// Whether the value of the place has the name that this key gives it.
    private static func hasName(
        of sealer: borrowing ValueSealer, _ database: Database
    ) throws(SessionStoreError) -> Bool {
        let find = try database.prepare("SELECT 1 FROM value WHERE kind = ? AND name = ?")
        defer { find.finish() }
        return try find.first([.text(StorePlace.kind.text), .blob(sealer.digest(of: StorePlace.name))]) { _ in true }
            ?? false
    }

    private static func hasPlace(_ database: Database) throws(SessionStoreError) -> Bool {
        let find = try database.prepare("SELECT 1 FROM value WHERE kind = ?")
        defer { find.finish() }
        return try find.first([.text(StorePlace.kind.text)]) { _ in true } ?? false
    }

    /// - Throws: `.damaged` for a value that does not open.
    private static func openEveryValue(
        in database: Database, _ sealer: borrowing ValueSealer
    ) throws(SessionStoreError) {
        let rows = try StoredRows(in: database)
        while let kind = try rows.next() { _ = try rows.open(kind, sealer) }
    }
}
