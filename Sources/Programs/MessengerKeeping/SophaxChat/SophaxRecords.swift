internal import Encodings
internal import Keystore
internal import SecureMemory
internal import SophaxChat
internal import SophaxStorage

extension IdentityRecords {
    /// An identity without its prekeys.
    /// - Throws: `KeystoreError.damaged`, also if the record is missing or is that of another identity; `BackupError`
    ///   for the text of a later version.
    func sophaxAccount(_ id: PeerID) throws -> SophaxAccount {
        let damaged = KeystoreError.damaged(record: "identity", owner: owner)
        guard let text = try read(SophaxKeeper.identity) else { throw damaged }
        let account: SophaxAccount
        do {
            account = try text.withBytes { (text) throws(BackupError) in try SophaxAccount(decoding: text) }
        } catch BackupError.unknownVersion(let version) {
            throw BackupError.unknownVersion(version)
        } catch {
            throw damaged
        }
        guard account.peerID == id else { throw damaged }
        return account
    }

    /// - Returns: nil if there are none.
    /// - Throws: `KeystoreError.damaged`; `StoredRecordError.unknownForm`.
    func sophaxPrekeys() throws -> PrekeyStore? {
        guard let record = try read(SophaxKeeper.prekeys) else { return nil }
        do {
            return try record.withBytes { (record) throws(StoredRecordError) in try PrekeyStore(decoding: record) }
        } catch StoredRecordError.unknownForm(let form) {
            throw StoredRecordError.unknownForm(form)
        } catch {
            throw KeystoreError.damaged(record: "prekeys", owner: owner)
        }
    }

    /// - Returns: nil without a PIN.
    /// - Throws: `KeystoreError.damaged`.
    func sophaxLock() throws -> PINLock? {
        guard let record = try read(SophaxKeeper.pin) else { return nil }
        guard let lock = PINLock(decoding: record.revealBytes()) else {
            throw KeystoreError.damaged(record: "pin", owner: owner)
        }
        return lock
    }

    /// - Throws: `KeystoreError.damaged`: then no PIN is checked.
    func sophaxCounts() throws -> PINCounts {
        try PINCounts(
            attempts: count(SophaxKeeper.attempts, PINAttempts.init(decoding:)) ?? .none,
            changes: count(SophaxKeeper.pinChanges, PINAllowance.init(decoding:)) ?? .unused,
            clearings: count(SophaxKeeper.clearings, PINAllowance.init(decoding:)) ?? .unused)
    }

    /// - Returns: nil without this record.
    private func count<Count>(_ name: RecordName, _ decode: ([UInt8]) -> Count?) throws -> Count? {
        guard let record = try read(name) else { return nil }
        guard let count = decode(record.revealBytes()) else {
            throw KeystoreError.damaged(record: name.text, owner: owner)
        }
        return count
    }
}

extension SophaxAccount {
    /// The record of the prekeys, without times of a clock that was ahead; empty without prekeys.
    func prekeyRecord(at now: Timestamp) -> SecureBytes {
        switch prekeys {
        case .some(let prekeys): prekeys.corrected(at: now).encoded()
        case .none: SecureBytes(count: 0) { _ in }
        }
    }
}
