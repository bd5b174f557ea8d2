package import Keystore
package import SessionStore

/// How many sessions there are. Nothing of it is secret.
package struct SessionFacts: Equatable, Sendable {
    /// Values of all kinds: sessions, used nonces, queues.
    package let values: Int
    /// Their length in an archive.
    package let bytes: Int
}

extension ExportedValues {
    package var facts: SessionFacts { SessionFacts(values: count, bytes: byteCount) }
}

extension ArchiveKeeper {
    /// The records of an identity, without those left out, and all values of its session store, of one moment.
    /// - Returns: nil if it has no session store.
    /// - Throws: `SessionStoreError`; `ExportError`; `KeystoreError`; `FileError`, for example `.locked` if a program
    ///   that uses the sessions runs.
    func recordsAndSessions(
        of owner: Owner, without leftOut: Set<RecordName> = []
    ) throws -> (records: RecordSet, sessions: ExportedValues)? {
        // Without the lock first, because a long upload may hold that of an identity without sessions.
        guard try keystore.identity(owner).hasSessions() else { return nil }
        return try keystore.reading(owner, wait: LockedIdentity.usualWait) { records in
            guard let store = try records.readSessions(keystore) else { return nil }
            defer { store.close() }
            return (try copy(records, without: leftOut), try store.exportedValues(limit: Archive.maxBytes))
        }
    }
}
