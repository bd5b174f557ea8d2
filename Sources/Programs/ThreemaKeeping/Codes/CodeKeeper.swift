package import Encodings
internal import Keystore
package import SecureMemory
package import Threema
internal import ThreemaSafe

/// The verbs on backup codes, and on identities that come from elsewhere.
package struct CodeKeeper: Sendable {
    let keystore: OpenKeystore
    let now: @Sendable () -> Timestamp

    /// Writes an identity down as a backup code.
    /// - Parameter password: at least 8 characters; that is the caller's to check.
    package func export(
        of id: ThreemaID, password: borrowing SecureBytes, scheme: IDBackup.Scheme
    ) throws -> GroupedCode {
        let identity = try keystore.identity(.threema(id)).identity()
        return try password.withBytes { (password) throws(IDBackupError) in
            try IDBackup.seal(identity, password: password, scheme: scheme)
        }
    }

    /// What a code must turn out to be.
    package struct Expectations: Sendable {
        /// The ID in the code.
        package var id: ThreemaID?
        /// The public key of the private key in the code.
        package var publicKey: PublicKey?
        /// The check word of the code itself.
        package var checkWord: GroupedCode?

        /// What is nil is not compared.
        package init(id: ThreemaID? = nil, publicKey: PublicKey? = nil, checkWord: GroupedCode? = nil) {
            self.id = id
            self.publicKey = publicKey
            self.checkWord = checkWord
        }

        /// Compares what needs no password.
        /// - Throws: `SafeKeepingError.unexpected(.checkWord)`.
        package func check(_ code: GroupedCode) throws {
            guard let checkWord, IDBackup.checkWord(of: code).characters != checkWord.characters else { return }
            throw SafeKeepingError.unexpected(.checkWord)
        }

        /// Compares what a code turned out to hold.
        /// - Throws: `SafeKeepingError.unexpected`.
        func check(_ identity: borrowing Identity) throws {
            if let id, identity.id != id { throw SafeKeepingError.unexpected(.id) }
            if let publicKey, identity.clientKey.publicKey != publicKey {
                throw SafeKeepingError.unexpected(.publicKey)
            }
        }
    }

    /// Opens a code. Needs no keystore: what does not open leaves none behind.
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

    /// Where an identity comes from.
    package enum Source: Sendable {
        /// A backup code, which is proven by that.
        case backupCode
        /// A key file of an app.
        case keyFile
    }

    /// What is done if the keystore holds the ID with another private key.
    package enum OtherKey: Sendable {
        /// Fail with `SafeKeepingError.otherKey`.
        case refuse
        /// Overwrite it, also if it is damaged.
        case replace
    }

    /// Stores an identity that comes from elsewhere, and that its code was proven, at once.
    /// - Returns: whether it is new here; held already with the same key, nothing else changes.
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
                if isFromCode { try state.write(to: new, key: keystore.stateKey) }
            }
            return true
        } catch KeystoreError.exists {
            let held = try keystore.lockedIdentity(.threema(identity.id), wait: ThreemaKeeper.lockWait)
            guard try !held.records.isHolding(identity, orDamaged: otherKey == .replace) else {
                if isFromCode { try markProven(held) }
                return false
            }
            guard otherKey == .replace else { throw SafeKeepingError.otherKey(id: identity.id.text) }
            var changes = held.changes()
            identity.encoded().withBytes { changes.set(.identity, $0) }
            // The Safe holds the old key until the next upload: forget that it is up to date.
            if isFromCode {
                changes.setState(state.encoded(for: identity.id.text, key: keystore.stateKey), of: .main)
            } else {
                changes.removeState(of: .main)
            }
            try held.commit(changes)
            return true
        }
    }

    /// Remembers that a code of this identity was proven, where the keystore holds it with the same key.
    /// - Returns: whether it does.
    package func markProven(_ identity: borrowing Identity) throws -> Bool {
        guard try keystore.identities().contains(.threema(identity.id)) else { return false }
        let held = try keystore.lockedIdentity(.threema(identity.id), wait: ThreemaKeeper.lockWait)
        guard try held.records.isHolding(identity, orDamaged: true) else { return false }
        try markProven(held)
        return true
    }

    private func markProven(_ held: borrowing LockedIdentity) throws {
        let key = keystore.stateKey
        var state = try UploadState(of: held.records, key: key)
        state.codeProvenAt = now()
        try state.write(to: held, key: key)
    }

}
