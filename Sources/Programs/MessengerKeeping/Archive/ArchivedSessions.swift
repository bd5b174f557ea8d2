internal import AtomicFiles
import Keystore
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
    /// - Throws: `SessionStoreError`; `ExportError`; `KeystoreError`; `ArchiveRefusal.sessionsInUse`; `FileError`.
    func recordsAndSessions(
        of owner: Owner, without leftOut: Set<RecordName> = [], _ wait: SessionWait
    ) throws -> (records: RecordSet, sessions: ExportedValues)? {
        // Without the lock first, because a long upload may hold that of an identity without sessions.
        guard try keystore.identity(owner).hasSessions() else { return nil }
        do {
            return try wait.reading(owner, in: keystore) { records in
                guard let store = try records.readSessions(keystore) else { return nil }
                defer { store.close() }
                return (try copy(records, without: leftOut), try store.exportedValues(limit: Archive.maxBytes))
            }
        } catch FileError.locked(let path) {
            throw ArchiveRefusal.sessionsInUse(owner, lock: path)
        }
    }
}
