package import Age
package import Keystore
package import ProtonMainKey
package import SecureMemory

/// Operations on the MainKeys in a keystore.
///
///     identities/mainkey/CHECK-VALUE/
///       protections      sealed: `ProtectionSet`
///       autolock         sealed: `AutolockSetting`; missing for never
package struct MainKeyKeeper: Sendable {
    static let protections: RecordName = "protections"

    /// Records without which a MainKey still has its protections.
    package static let dispensableRecords: Set<RecordName> = [autolock]

    let keystore: OpenKeystore
    let now: @Sendable () -> ClockReading
    let workFactor: Int

    /// - Parameters:
    ///   - now: returns the time.
    ///   - workFactor: of scrypt, for new protections.
    package init(
        keystore: OpenKeystore, now: @escaping @Sendable () -> ClockReading, workFactor: Int = AgeWriter.workFactor
    ) {
        self.keystore = keystore
        self.now = now
        self.workFactor = workFactor
    }

    /// Whether unlocking the keystore needs a passphrase.
    package var isProtected: Bool { keystore.isProtected }

    /// The MainKeys in the keystore, in order of their check values. Directories with other names are skipped.
    package func ids() throws -> [CheckValue] { try keystore.identities().compactMap(\.mainKey) }

    /// A protection of a key that is to be sealed.
    package enum NewProtection: ~Copyable {
        /// The key stays in the clear.
        case clear
        /// A PIN or passphrase, at least one byte.
        case pin(SecureBytes)
        /// Any of the secret keys of these recipients opens it, 1 to 20.
        case key([AgeRecipient])

        /// The kind of the protection.
        package var kind: ProtectionKinds {
            switch self {
            case .clear: .clear
            case .pin: .pin
            case .key: .key
            }
        }
    }

    /// Checks the number of recipients, to refuse too many before anything is asked for or made.
    /// - Throws: `.tooManyRecipients`.
    package static func check(_ recipients: [AgeRecipient]) throws(MainKeyKeepingError) {
        guard recipients.count <= ProtectionSet.maxRecipients else {
            throw .tooManyRecipients(limit: ProtectionSet.maxRecipients)
        }
    }

    /// Adds a key with its first protection. A PIN is proven to open it; that somebody has the secret key of a
    /// recipient is not.
    /// - Parameter isOnly: whether the keystore must hold no other MainKey.
    /// - Throws: `KeystoreError.exists` if the keystore holds it, or another one against `isOnly`; `AgeError`;
    ///   `.tooManyRecipients`.
    package func add(
        _ key: borrowing MainKey, _ protection: borrowing NewProtection, isOnly: Bool = false
    ) throws {
        var set = ProtectionSet()
        try seal(key, protection, into: &set)
        let record = set.encoded()
        try keystore.add(.mainKey(key.checkValue)) { new in
            // Under the keystore's lock: another process may have added one while a PIN was asked for.
            if isOnly, let held = try ids().first { throw KeystoreError.exists(.mainKey(held)) }
            try record.withBytes { try new.write(Self.protections, $0) }
        }
    }

    /// Puts a new protection into a set. The file was opened again with its file key when this returns: it is whole.
    /// That somebody has the secret key of a recipient is not proven.
    func seal(
        _ key: borrowing MainKey, _ protection: borrowing NewProtection, into set: inout ProtectionSet
    ) throws {
        switch protection {
        case .clear: set.clear = key.copy()
        case .pin(let pin): set.pin = try AgeWriter.seal(key.bytes, passphrase: pin, workFactor: workFactor)
        case .key(let recipients):
            try Self.check(recipients)
            set.key = .init(recipients: recipients, file: try AgeWriter.seal(key.bytes, to: recipients))
        }
    }

    /// The public facts of a MainKey.
    package struct Summary: Equatable, Sendable {
        /// The check value, its name in the keystore.
        package let id: CheckValue
        /// The protections.
        package let kinds: ProtectionKinds
        /// The work factor of the PIN protection, the binary logarithm of scrypt's N.
        package let workFactor: Int?
        /// For whom the key protection is.
        package let recipients: [AgeRecipient]
        /// The setting.
        package let autolock: AutolockSetting

        /// Whether a guess of the PIN costs less than with a work factor of 14, 16 MiB.
        package var hasWeakWorkFactor: Bool { workFactor.map { $0 < 14 } ?? false }
    }

    /// Nothing is opened but the records.
    /// - Throws: `.noKey`; `KeystoreError.damaged`.
    package func summary(_ id: CheckValue) throws -> Summary {
        let records = try records(of: id)
        let set = try records.protections()
        let workFactor = try set.pin.map { try AgeFile($0, .binary).workFactor } ?? nil
        return Summary(
            id: id, kinds: set.kinds, workFactor: workFactor, recipients: set.key?.recipients ?? [],
            autolock: try records.autolock())
    }

    /// The protections of a key, which need none of its other records.
    /// - Throws: `.noKey`; `KeystoreError.damaged`.
    package func kinds(_ id: CheckValue) throws -> ProtectionKinds { try records(of: id).protections().kinds }

    /// Removes a MainKey with all of its records and its copy in the kernel's keyring, and looks whether they are gone.
    /// - Returns: whether the keyring could be looked at. If not, it can hold a copy until that expires.
    /// - Throws: `.noKey`; `.notRemoved`; `FileError`.
    package func wipe(_ id: CheckValue) throws -> Bool {
        // Before the records, because `lock` finds no key without them, and after them, because another process may
        // have unlocked the key meanwhile.
        _ = try forget(id)
        try translating(id) { try keystore.remove(.mainKey(id), wait: LockedIdentity.usualWait) }
        let isKeyringSeen = try forget(id)
        guard try !ids().contains(id), keystore.keptSecret(of: .mainKey(id)) == nil else {
            throw MainKeyKeepingError.notRemoved(id)
        }
        return isKeyringSeen
    }

    /// - Returns: false if the kernel refuses the use of its keyring.
    private func forget(_ id: CheckValue) throws -> Bool {
        do {
            _ = try keystore.forgetSecret(of: .mainKey(id))
            return true
        } catch is KernelKeyringError {
            return false
        }
    }

    // MARK: Records

    func records(of id: CheckValue) throws -> IdentityRecords {
        try translating(id) { try keystore.identity(.mainKey(id)) }
    }

    /// Runs `body` under the lock of a MainKey.
    func locked<Result: ~Copyable>(
        _ id: CheckValue, _ body: (borrowing LockedIdentity) throws -> Result
    ) throws -> Result {
        try translating(id) {
            let identity = try keystore.lockedIdentity(.mainKey(id), wait: LockedIdentity.usualWait)
            return try body(identity)
        }
    }

    /// Runs `body` under the lock of a MainKey, for a change in the kernel's keyring: the keystore may be on a read-only
    /// medium.
    func lockedForKeyring<Result: ~Copyable>(
        _ id: CheckValue, _ body: (borrowing IdentityRecords) throws -> Result
    ) throws -> Result {
        try translating(id) {
            try keystore.reading(.mainKey(id), wait: LockedIdentity.usualWait, isCreatingLock: true, body)
        }
    }

    private func translating<Result: ~Copyable>(_ id: CheckValue, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch KeystoreError.noIdentity {
            throw MainKeyKeepingError.noKey(id)
        }
    }
}

extension IdentityRecords {
    /// - Throws: `KeystoreError.damaged`, also if the record is missing; `MainKeyKeepingError.unknownVersion`.
    func protections() throws -> ProtectionSet {
        let damaged = KeystoreError.damaged(record: "protections", owner: owner)
        switch try read(MainKeyKeeper.protections) {
        case .none: throw damaged
        case .some(let record):
            do {
                return try record.withBytes { (record) throws(ProtectionSetError) in try ProtectionSet(record) }
            } catch ProtectionSetError.unknownVersion(let version) {
                throw MainKeyKeepingError.unknownVersion(record: "protections", version)
            } catch {
                throw damaged
            }
        }
    }
}

extension MainKey {
    /// A second copy in guarded memory.
    func copy() -> MainKey {
        // This cannot fail: the length is that of a key.
        try! MainKey(bytes.withBytes { SecureBytes(copying: $0) })
    }
}
