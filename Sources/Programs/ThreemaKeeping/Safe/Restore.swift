internal import Encodings
internal import Keystore
internal import SafeRules
package import SecureMemory
package import Threema
package import ThreemaSafe

extension SafeKeeper {
    /// Restores a backup from the history or from a file into the keystore. A setup stays as it is; its upload state
    /// becomes that of a profile that was never uploaded.
    /// - Throws: `SafeKeepingError.otherKey` unless another key may be replaced; `.refused(.unpushedChanges)` unless the
    ///   loss of changes that were not uploaded is accepted; `KeystoreError.damaged` unless damaged records may be
    ///   replaced. Then nothing was changed.
    package func restore(
        _ backup: borrowing SafeBackup, of id: ThreemaID, _ options: KeepOptions
    ) throws -> FetchedSafe.Replaced {
        do {
            try keystore.add(.threema(id)) { new in
                var changes = new.changes()
                changes.set(backup, id)
                try new.commit(changes)
            }
            return .init()
        } catch KeystoreError.exists {
            return try restore(backup, overIdentity: id, options)
        }
    }

    private func restore(
        _ backup: borrowing SafeBackup, overIdentity id: ThreemaID, _ options: KeepOptions
    ) throws -> FetchedSafe.Replaced {
        let held = try keystore.lockedIdentity(.threema(id), wait: ThreemaKeeper.lockWait)
        let identity = backup.identity(id)
        let isSame = try held.records.isHolding(identity, orDamaged: options.isReplacingKey)
        guard isSame || options.isReplacingKey else { throw SafeKeepingError.otherKey(id: id.text) }
        let damage = options.isReplacing ? try Damage(of: held.records) : Damage()
        let profile = damage.isProfile ? .empty : try held.records.profile()
        let key = stateKey
        var state = try UploadState(of: held.records, key: key)
        // A code of another private key proves nothing.
        if !isSame { state.codeProvenAt = nil }
        var isUploaded = profile.document == .empty || profile == backup.profile
        if !damage.isSetup, let setup = try held.records.setup() {
            let digests = TargetDigests(setup.current, profile, key: key)
            var place = state.state(at: setup.current, digests)
            if place.content == place.document { isUploaded = true }
            place.forgetUpload()
            (place.document, place.backup) = (.none, .none)
            state.safe = .init(target: digests.target, state: place)
        }
        guard isUploaded || options.isReplacing else {
            throw SafeKeepingError.refused(.unpushedChanges, id: id.text, server: "")
        }
        var changes = held.changes()
        changes.set(backup, id)
        changes.setState(state.encoded(for: id.text, key: key), of: .main)
        try held.commit(changes)
        return .init(
            contacts: damage.isProfile ? nil : profile.document.contactCount, damaged: damage.replacedNames)
    }

    /// Opens the bytes of a Safe backup with the key of the setup.
    /// - Throws: `SafeKeepingError.noSetup`; `SafeBackupError`.
    package func open(_ bytes: [UInt8], of id: ThreemaID) throws -> SafeBackup {
        try SafeBackup.open(bytes.span, keys: keystore.identity(.threema(id)).requiredSetup().current.keys)
    }

    /// Opens the bytes of a Safe backup with ID and password.
    /// - Throws: `KeyDerivationError`; `SafeBackupError`.
    package static func open(
        _ bytes: [UInt8], of id: ThreemaID, password: borrowing SecureBytes
    ) throws -> SafeBackup {
        let keys = try password.withBytes { try SafeKeys(password: $0, id: id) }
        return try SafeBackup.open(bytes.span, keys: keys)
    }
}
