internal import Keystore
internal import SafeRules
internal import SafeWire
package import SecureMemory
internal import Threema
internal import ThreemaRecords
internal import ThreemaSafe

extension SafeKeeper {
    /// Takes over the password that a phone has given to the Safe that is set up for reading only. Nothing is written
    /// to the server. What `mirror` remembers stays, and so does the history, whose entries have their own keys.
    /// - Throws: `SafeKeepingError.refused(.notReadOnly)`, `.sameTarget`; `.noBackup` if the server has none under this
    ///   password; `.refused(.mirror(.otherKey))`; `.samePlace`; `SafeExchangeError`; `SafeBackupError`;
    ///   `KeyDerivationError`. Then nothing was changed.
    package func adoptPassword(_ password: borrowing SecureBytes, at place: SafePlace) throws {
        let id = place.id
        let before = try keystore.identity(.threema(id)).requiredSetup(at: place.name)
        let address = before.current.address
        guard before.isReadOnly else {
            throw SafeKeepingError.refused(.notReadOnly, id: id.text, server: address.text)
        }
        let derived = try SafeTarget(server: before.current.server.copy, password: password, id: id)
        let found = SafeTarget(
            server: before.current.server.copy, keys: derived.takeKeys(), placeName: before.current.placeName)
        guard !found.isSame(as: before.current) else { throw SafeKeepingError.sameTarget(id: id.text) }
        let backup = try connect(found).fetch(found.keys.backupID)
        let identity = try keystore.lockedIdentity(.threema(id), wait: LockedIdentity.usualWait)
        let setup = try identity.records.requiredSetup(at: place.name)
        guard setup.isReadOnly, setup.current.isSame(as: before.current) else {
            throw SafeKeepingError.refused(.unsettled(.current), id: id.text, server: address.text)
        }
        // Another process may have changed login, authorities or pins meanwhile.
        let new = found.approached(as: setup.current.server.copy)
        try requireOwnBackup(backup, new, identity.records, id)
        try prove(new, .readOnly, isNot: place, in: identity.records)
        let key = stateKey
        let profile = try identity.records.profile()
        var state = try UploadState(of: identity.records, at: place.name, key: key)
        var known = PlaceState.unknown
        known.mirror = state.state(at: setup.current, TargetDigests(setup.current, profile, key: key)).mirror
        known.passwordProvenAt = now()
        state.safe = .init(target: TargetDigests(new, profile, key: key).target, state: known)
        try store(SafeSetup(new.copy, isReadOnly: true), state, at: place.name, in: identity)
    }
}
