internal import Keystore
internal import SafeWire
internal import SecureMemory
public import Threema

extension SafeKeeper {
    /// Deletes the Safe backup of an identity from its server, then forgets the setup. A backup that is
    /// not there any more is fine; a run that was interrupted is simply repeated.
    /// - Parameter keepingSetup: leave server and key, so that a later push uploads again.
    /// - Returns: the server's address.
    /// - Throws: `SafeKeepingError.noSetup`; `SafeExchangeError`, and then the setup is still there.
    public func deleteSafe(of id: ThreemaID, keepingSetup: Bool) throws -> String {
        let identity = try keystore.lockedIdentity(id.text, wait: Self.lockWait)
        let setup = try identity.records.requiredSetup()
        try connect(setup.address).remove(setup.keys.backupID)
        let key = keystore.digestKey(UploadState.digestPurpose)
        var state = try UploadState(of: identity.records, key: key)
        state.safe = nil
        try state.write(to: identity, key: key)
        if !keepingSetup { try identity.remove(.safe) }
        return setup.address.text
    }
}
