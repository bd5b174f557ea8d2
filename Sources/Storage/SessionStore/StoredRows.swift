internal import Primitives
internal import SecureMemory

/// The values of a store one after the other, in no order that means something.
struct StoredRows: ~Copyable {
    private let database: Database
    private let rows: Statement

    /// - Parameter kind: nil for the values of all kinds, also that of the place.
    init(in database: Database, of kind: ValueKind? = nil) throws(SessionStoreError) {
        let rows = try database.prepare(
            "SELECT kind, name, sealed FROM value" + (kind == nil ? "" : " WHERE kind = ?"))
        if let kind { try rows.bind([.text(kind.text)]) }
        self.database = database
        self.rows = rows
    }

    /// - Returns: the kind of the next value; nil after the last one.
    /// - Throws: `.damaged` for a kind that no store contains; `.system`.
    func next() throws(SessionStoreError) -> ValueKind? {
        guard try rows.step() else { return nil }
        guard let kind = ValueKind(rows.bytes(0)) else { throw .damaged(path: database.path) }
        return kind
    }

    /// Decrypts the value that `next` has found.
    /// - Parameter kind: what `next` returned.
    /// - Returns: length of the name (1 byte), the name, the value.
    /// - Throws: `.damaged` if the value does not open, or has another name than its row.
    func open(_ kind: ValueKind, _ sealer: borrowing ValueSealer) throws(SessionStoreError) -> SecureBytes {
        let (digest, sealed) = (rows.bytes(1), rows.bytes(2))
        let named: SecureBytes
        do { named = try sealer.open(sealed, kind) } catch { throw .damaged(path: database.path) }
        let isOwn = named.withBytes { named in
            guard named.count > 1, named[0] > 0, named.count > named[0] else { return false }
            let name = named.extracting(1..<1 + Int(named[0])).revealBytes()
            return sealer.digest(of: name) == digest
        }
        guard isOwn else { throw .damaged(path: database.path) }
        return named
    }
}
