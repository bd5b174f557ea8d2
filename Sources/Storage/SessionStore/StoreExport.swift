package import AtomicFiles
package import SecureMemory

// The values of a whole store: out of it for an archive, and into another one.

extension OpenSessionStore {
    /// Whether the directory of an owner has a store. Nothing is opened.
    package static func exists(in directory: borrowing Directory) throws(FileError) -> Bool {
        try directory.contains(StoreFile.name)
    }

    /// Opens all values, for an archive. When they are read again they may be old: a program that
    /// goes on with them uses keys twice.
    /// - Parameter limit: longest result in bytes.
    /// - Throws: `SessionStoreError.damaged` for a value that does not open; `ExportError.tooLong`, `.tooMany`;
    ///   `SessionStoreError.system`.
    package func exportedValues(limit: Int) throws -> ExportedValues {
        var values = ExportedValues.Builder(limit: limit)
        let rows = try StoredRows(in: database)
        while let kind = try rows.next() {
            if kind != StorePlace.kind { try values.add(kind, rows.open(kind, sealer)) }
        }
        return values.finish()
    }

    /// Creates a store with exported values. It counts as a copy: the program that opens it has to `adopt` it, and to
    /// end what must not go on in two places.
    /// - Parameters:
    ///   - directory: without a store; that of an owner, opened with the rule `.secret`.
    ///   - messenger: as for `init`.
    ///   - id: as for `init`.
    ///   - key: as for `init`.
    /// - Throws: `.file(.exists)` if there is a store; as `init`.
    package static func create(
        in directory: borrowing Directory, messenger: String, id: String, key: borrowing SecureBytes,
        holding values: ExportedValues
    ) throws(SessionStoreError) {
        let (database, isNew) = try StoreFile.open(in: directory)
        guard isNew else { throw .file(.exists(path: database.path)) }
        try create(database, ValueSealer(messenger: messenger, id: id, key: key), .nowhere, holding: values)
        database.removeJournal()
        database.close()
    }
}
