internal import Keystore
internal import Primitives
internal import SafeWire
internal import SecureMemory
internal import Threema

extension SafeKeeper {
    /// Fetches the Safe backup, opens it and compares it with what the keystore holds. Remembers that it was
    /// seen, and nothing else.
    /// - Parameter access: by the stored key (`access(to:)`), or by a password, with which a person proves that
    ///   they still know it.
    /// - Returns: the backup.
    /// - Throws: `SafeKeepingError.noBackup`, `.differs`; `SafeBackupError`; `SafeExchangeError`.
    public func check(_ access: borrowing SafeAccess) throws -> FetchedSafe {
        let fetched = try access.fetch()
        let identity = try keystore.lockedIdentity(access.id.text, wait: Self.lockWait)
        let held = try identity.records.identity()
        guard held.clientKey.publicKey == fetched.backup.clientKey.publicKey else {
            throw SafeKeepingError.differs(.privateKey)
        }
        guard try identity.records.profile() == fetched.backup.document else {
            throw SafeKeepingError.differs(.profile)
        }
        let key = stateKey
        var state = try UploadState(of: identity.records, key: key)
        let digests = TargetDigests(access.target, fetched.backup.document, key: key)
        guard var safe = state.safe(at: digests) else { return fetched }
        if safe.seen == fetched.digest { safe.seenAt = now() }
        if access.isFromPassword { safe.passwordProvenAt = now() }
        state.safe = safe
        try state.write(to: identity, key: key)
        return fetched
    }
}
