package import AtomicFiles
package import Keystore
internal import SecureMemory
package import SessionStore

// The session store of an identity, which programs on the libraries keep in its directory as `sessions.db`. All of them
// open it with the key that the keystore derives for `sessions`.

extension OpenKeystore {
    /// The key of all session stores of a keystore, 32 bytes.
    fileprivate var sessionKey: SecureBytes { digestKey("sessions") }
}

extension OpenKeystore {
    /// Examines the session store of an identity of any messenger. Nothing is changed, and nobody is waited for.
    /// - Returns: nil if it has none.
    /// - Throws: `SessionStoreError.file`, `.system`; `KeystoreError.noIdentity`; `FileError`.
    package func examineSessions(of owner: Owner) throws -> StoreCondition? {
        guard try identity(owner).hasSessions() else { return nil }
        do {
            // Programs hold the lock while they use the sessions.
            return try reading(owner, wait: .zero) { records in
                try records.withDirectory { directory in
                    try OpenSessionStore.examine(
                        in: directory, messenger: owner.messenger, id: owner.id, key: sessionKey)
                }
            }
        } catch FileError.locked {
            return .inUse
        }
    }
}

extension IdentityRecords {
    /// Whether the identity has a session store. Nothing is opened.
    package func hasSessions() throws(FileError) -> Bool {
        try withDirectory { (directory) throws(FileError) in try OpenSessionStore.exists(in: directory) }
    }

    /// Opens the session store for reading only. Close it before the lock of `OpenKeystore.reading` is released.
    /// - Returns: nil if there is none.
    /// - Throws: `SessionStoreError`; `FileError`.
    func readSessions(_ keystore: OpenKeystore) throws -> OpenSessionStore? {
        guard try hasSessions() else { return nil }
        return try withDirectory { directory in
            try OpenSessionStore(
                readingIn: directory, messenger: owner.messenger, id: owner.id, key: keystore.sessionKey)
        }
    }
}

extension LockedIdentity {
    /// Opens the session store for changing. Close it before the lock is released.
    /// - Returns: nil if there is none.
    /// - Throws: `SessionStoreError`; `FileError`.
    func openSessions(_ keystore: OpenKeystore) throws -> OpenSessionStore? {
        guard try records.hasSessions() else { return nil }
        let owner = records.owner
        return try withDirectory { directory in
            try OpenSessionStore(
                existingIn: directory, messenger: owner.messenger, id: owner.id, key: keystore.sessionKey)
        }
    }

    /// Creates a session store that counts as a copy.
    /// - Throws: `SessionStoreError`.
    func createSessions(holding values: ExportedValues, _ keystore: OpenKeystore) throws(SessionStoreError) {
        let owner = records.owner
        try withDirectory { (directory) throws(SessionStoreError) in
            try OpenSessionStore.create(
                in: directory, messenger: owner.messenger, id: owner.id, key: keystore.sessionKey, holding: values)
        }
    }
}
