package import Encodings
internal import Keystore
internal import SafeKeeping
package import SecureMemory
package import Threema
internal import ThreemaRecords
internal import ThreemaSafe

/// Operations on backup codes and on imported identities.
package struct CodeKeeper: Sendable {
    let keystore: OpenKeystore
    let now: @Sendable () -> Timestamp

    /// Encrypts an identity as a backup code.
    /// - Parameter password: at least 8 characters, which the caller checks.
    package func export(
        of id: ThreemaID, password: borrowing SecureBytes, scheme: IDBackup.Scheme
    ) throws -> GroupedCode {
        let identity = try keystore.identity(.threema(id)).identity()
        return try password.withBytes { (password) throws(IDBackupError) in
            try IDBackup.seal(identity, password: password, scheme: scheme)
        }
    }

    /// The expected contents of a code.
    package struct Expectations: Sendable {
        /// The ID in the code.
        package var id: ThreemaID?
        /// The public key of the private key in the code.
        package var publicKey: PublicKey?
        /// The check word of the code itself.
        package var checkWord: GroupedCode?

        /// Values that are nil are not compared.
        package init(id: ThreemaID? = nil, publicKey: PublicKey? = nil, checkWord: GroupedCode? = nil) {
            self.id = id
            self.publicKey = publicKey
            self.checkWord = checkWord
        }

        /// Compares the check word, which needs no password.
        /// - Throws: `SafeKeepingError.unexpected(.checkWord)`.
        package func check(_ code: GroupedCode) throws {
            guard let checkWord, IDBackup.checkWord(of: code).characters != checkWord.characters else { return }
            throw SafeKeepingError.unexpected(.checkWord)
        }

        /// Compares ID and public key of an opened code.
        /// - Throws: `SafeKeepingError.unexpected`.
        package func check(_ identity: borrowing Identity) throws {
            if let id, identity.id != id { throw SafeKeepingError.unexpected(.id) }
            if let publicKey, identity.clientKey.publicKey != publicKey {
                throw SafeKeepingError.unexpected(.publicKey)
            }
        }
    }

    /// Opens a code. It needs no keystore, so a code that does not open creates none.
    /// - Throws: `IDBackupError`; `SafeKeepingError.unexpected`.
    package static func open(
        _ code: GroupedCode, password: borrowing SecureBytes, expecting expectations: Expectations
    ) throws -> Identity {
        try expectations.check(code)
        let identity = try password.withBytes { (password) throws(IDBackupError) in
            try IDBackup.open(code, password: password)
        }
        try expectations.check(identity)
        return identity
    }

    /// The origin of an imported identity.
    package enum Source: Sendable {
        /// A backup code. It counts as proven from now on.
        case backupCode
        /// A key file of an app.
        case keyFile
        /// Shares of the private key. They prove no code.
        case shares
    }

    /// What to do if the keystore holds the ID with another private key.
    package enum OtherKey: Sendable {
        /// Fail with `SafeKeepingError.otherKey`.
        case refuse
        /// Replace it, also if it is damaged.
        case replace
    }

    /// Stores an imported identity, together with the time at which its code was proven.
    /// - Returns: whether the identity is new in the keystore. If it is not, only the time changes.
    /// - Throws: `SafeKeepingError.otherKey`; `FileError`. Then nothing was stored.
    package func store(
        _ identity: borrowing Identity, from source: Source, ifOtherKey otherKey: OtherKey
    ) throws -> Bool {
        let isFromCode = source == .backupCode
        var state = UploadState()
        state.codeProvenAt = isFromCode ? now() : nil
        do {
            try keystore.add(.threema(identity.id)) { new in
                try new.write(.empty)
                try new.write(identity)
                if isFromCode { try state.write(to: new, at: .main, key: keystore.stateKey, now: now()) }
            }
            return true
        } catch KeystoreError.exists {
            let held = try keystore.lockedIdentity(.threema(identity.id), wait: LockedIdentity.usualWait)
            guard try !held.records.isHolding(identity, orDamaged: otherKey == .replace) else {
                if isFromCode { try markProven(held) }
                return false
            }
            guard otherKey == .replace else { throw SafeKeepingError.otherKey(id: identity.id.text) }
            var changes = held.changes()
            try set(identity, of: held.records, in: &changes)
            if isFromCode {
                let key = keystore.stateKey
                state = try UploadState(of: held.records, at: .main, key: key).withoutTargets(keepingProof: false)
                state.codeProvenAt = now()
                changes.setState(state.encoded(for: identity.id.text, at: .main, key: key, now: now()), of: .main)
            }
            try held.commit(changes)
            return true
        }
    }

    /// Sets another private key. The Safe holds the old one until the next upload, so it is not up to date.
    /// - Throws: `KeystoreError.damaged`.
    func set(
        _ identity: borrowing Identity, of records: borrowing IdentityRecords, in changes: inout RecordChanges
    ) throws {
        identity.encoded().withBytes { changes.set(.identity, $0) }
        try changes.forgetStates(of: records, except: nil, key: keystore.stateKey, now: now())
    }

    /// What the keystore holds of an ID that was read from a backup; none also for a damaged key.
    package enum Holding: Equatable { case none, same, otherKey(PublicKey) }

    package func compare(_ identity: borrowing Identity) throws -> Holding {
        let owner = Owner.threema(identity.id)
        guard try keystore.identities().contains(owner) else { return .none }
        do {
            let held = try keystore.identity(owner).identity()
            return held.isSame(as: identity) ? .same : .otherKey(held.clientKey.publicKey)
        } catch KeystoreError.damaged { return .none }
    }

    /// Stores that a code of the identity was opened now.
    /// - Returns: false if another process has replaced the key since it was compared.
    /// - Throws: `KeystoreError`, `FileError`.
    package func markProven(_ identity: borrowing Identity) throws -> Bool {
        let locked = try keystore.lockedIdentity(.threema(identity.id), wait: LockedIdentity.usualWait)
        guard try locked.records.isHolding(identity, orDamaged: true) else { return false }
        try markProven(locked)
        return true
    }

    private func markProven(_ held: borrowing LockedIdentity) throws {
        let key = keystore.stateKey
        var state = try UploadState(of: held.records, at: .main, key: key)
        state.codeProvenAt = now()
        try state.write(to: held, at: .main, key: key, now: now())
    }
}
