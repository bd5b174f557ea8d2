internal import Encodings
internal import Keystore
internal import Primitives
internal import SafeRules
package import SecureMemory
package import Threema
internal import ThreemaRecords
package import ThreemaSafe

extension SafeKeeper {
    /// Restores a backup from the history or from a file into the keystore. Setups stay as they are. What each of
    /// them last uploaded is forgotten, so that its next push uploads; when that was, and what is expected there, is not.
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
        let held = try keystore.lockedIdentity(.threema(id), wait: LockedIdentity.usualWait)
        let identity = backup.identity(id)
        let isSame = try held.records.isHolding(identity, orDamaged: options.isReplacingKey)
        guard isSame || options.isReplacingKey else { throw SafeKeepingError.otherKey(id: id.text) }
        let damage = options.isReplacing ? try Damage(of: held.records) : Damage()
        let profile = damage.isProfile ? .empty : try held.records.profile()
        let key = stateKey
        guard
            try profile.document == .empty || profile == backup.profile || options.isReplacing
                || !held.records.isUnsaved(profile, key: key)
        else { throw SafeKeepingError.refused(.unpushedChanges, id: id.text, server: "") }
        var changes = held.changes()
        changes.set(backup, id)
        for name in try Set(held.records.safePlaces() + [.main]) {
            var state = try UploadState(of: held.records, at: name, key: key)
            // The private key is another one, so the state of earlier uploads is not about it.
            if !isSame { state = state.withoutTargets(keepingProof: false) }
            if isSame, let setup = try? held.records.setup(at: name) {
                let digests = TargetDigests(setup.current, profile, key: key)
                var place = state.state(at: setup.current, digests)
                (place.content, place.contacts) = (nil, 0)
                (place.document, place.backup) = (.none, .none)
                state.safe = .init(target: digests.target, state: place)
            }
            changes.setState(state.encoded(for: id.text, at: name, key: key, now: now()), of: name)
        }
        if !damage.isProfile { try keepReplaced(profile, by: backup, isOtherKey: !isSame, held) }
        try held.commit(changes)
        return .init(
            contacts: damage.isProfile ? nil : profile.document.contactCount, damaged: damage.names)
    }

    /// Stores what a restore replaces in the history of a place, encrypted as its backups are: another private key or
    /// profile, wherever it came from. Without a place, there is no copy.
    func keepReplaced(
        _ profile: borrowing Profile, by new: borrowing SafeBackup, isOtherKey: Bool, _ held: borrowing LockedIdentity
    ) throws {
        let isOther = profile.document != .empty && !(profile == new.profile)
        guard isOtherKey || isOther, profile.document.fitsBackup else { return }
        for name in try held.records.safePlaces() {
            guard let setup = try? held.records.setup(at: name) else { continue }
            let (digests, time) = (TargetDigests(setup.current, profile, key: stateKey), now())
            let known = try UploadState(of: held.records, at: name, key: stateKey).state(at: setup.current, digests)
            let info = SafeBackup.WriterInfo(
                generation: max(1, known.generation), writtenAt: time, writer: digests.writer)
            var bytes: [UInt8] = []
            if let own = try? held.records.identity() {
                bytes = try SafeBackup.seal(own.clientKey, profile, writerInfo: info, keys: setup.current.keys)
            } else {
                bytes = try SafeBackup.seal(new.clientKey, profile, writerInfo: info, keys: setup.current.keys)
            }
            let secret = setup.current.keys.masterKey.withBytes { SecureBytes(copying: $0) }
            let backup = HistoryBackup(bytes, digest: BLAKE2b.hash(bytes.span), secret: secret)
            return try held.keepHistory(backup, origin: .replaced, of: name, at: time.milliseconds)
        }
    }

    /// Opens the bytes of a Safe backup with the key of a place.
    /// - Throws: `SafeKeepingError.noSetup`; `SafeBackupError`.
    package func open(_ bytes: [UInt8], of place: SafePlace) throws -> SafeBackup {
        let records = try keystore.identity(.threema(place.id))
        return try SafeBackup.open(bytes.span, keys: records.requiredSetup(at: place.name).current.keys)
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
