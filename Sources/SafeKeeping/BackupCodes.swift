public import Encodings
internal import Keystore
public import SecureMemory
public import Threema

extension SafeKeeper {
    /// What a code must turn out to be.
    public struct Expectations: Sendable {
        public var id: ThreemaID?
        public var publicKey: PublicKey?
        public var checkWord: GroupedCode?

        public init(id: ThreemaID? = nil, publicKey: PublicKey? = nil, checkWord: GroupedCode? = nil) {
            self.id = id
            self.publicKey = publicKey
            self.checkWord = checkWord
        }
    }

    /// What opening a code led to.
    public struct OpenedCode: Equatable, Sendable {
        public let id: ThreemaID
        public let publicKey: PublicKey
        /// Whether the keystore holds this identity with this key, now that the verb is done.
        public let isHeld: Bool
        /// Whether this verb put it there.
        public let isStored: Bool
    }

    /// Writes an identity down as a backup code.
    /// - Parameter password: at least 8 characters; that is the caller's to check.
    public func exportCode(of id: ThreemaID, password: borrowing SecureBytes) throws -> GroupedCode {
        let identity = try keystore.identity(id.text).identity()
        return try password.withBytes { (password) throws(IDBackupError) in
            try IDBackup.seal(identity, password: password)
        }
    }

    /// Opens a code and keeps its identity. Held already with the same key, nothing changes.
    /// - Throws: `IDBackupError`; `SafeKeepingError.unexpected`; `.otherKey` where the keystore holds the ID
    ///   with another key, unless `replacing`. Then nothing was stored.
    public func importCode(
        _ code: GroupedCode, password: borrowing SecureBytes, expecting expectations: Expectations, replacing: Bool
    ) throws -> OpenedCode {
        let identity = try Self.open(code, password, expectations)
        do {
            try add(identity, profile: .empty)
        } catch KeystoreError.exists {
            let held = try keystore.lockedIdentity(identity.id.text, wait: Self.lockWait)
            if try held.records.identity().isSame(as: identity) {
                try markProven(held)
                return Self.opened(identity, isHeld: true, isStored: false)
            }
            guard replacing else { throw SafeKeepingError.otherKey(id: identity.id.text) }
            // The Safe holds the old key until the next upload: forget that it is up to date.
            try held.removeState()
            try held.write(identity)
        }
        try markProven(try keystore.lockedIdentity(identity.id.text, wait: Self.lockWait))
        return Self.opened(identity, isHeld: true, isStored: true)
    }

    /// Opens a code and keeps nothing of it but, where its identity is held, that it was proven today.
    /// - Parameter keeper: nil on a machine that holds no identity.
    public static func checkCode(
        _ code: GroupedCode, password: borrowing SecureBytes, expecting expectations: Expectations, in keeper: SafeKeeper?
    ) throws -> OpenedCode {
        let identity = try open(code, password, expectations)
        guard let keeper else { return opened(identity, isHeld: false, isStored: false) }
        return try keeper.compare(identity)
    }

    private func compare(_ identity: borrowing Identity) throws -> OpenedCode {
        guard try keystore.identities().contains(identity.id.text) else {
            return Self.opened(identity, isHeld: false, isStored: false)
        }
        let held = try keystore.lockedIdentity(identity.id.text, wait: Self.lockWait)
        guard try held.records.identity().isSame(as: identity) else {
            return Self.opened(identity, isHeld: false, isStored: false)
        }
        try markProven(held)
        return Self.opened(identity, isHeld: true, isStored: false)
    }

    /// How long verbs that have no option for it wait for an identity's lock.
    static let lockWait = Duration.seconds(60)

    private static func open(
        _ code: GroupedCode, _ password: borrowing SecureBytes, _ expectations: Expectations
    ) throws -> Identity {
        if let expected = expectations.checkWord, IDBackup.checkWord(of: code).characters != expected.characters {
            throw SafeKeepingError.unexpected(.checkWord)
        }
        let identity = try password.withBytes { (password) throws(IDBackupError) in
            try IDBackup.open(code, password: password)
        }
        if let expected = expectations.id, identity.id != expected { throw SafeKeepingError.unexpected(.id) }
        if let expected = expectations.publicKey, identity.clientKey.publicKey != expected {
            throw SafeKeepingError.unexpected(.publicKey)
        }
        return identity
    }

    private static func opened(_ identity: borrowing Identity, isHeld: Bool, isStored: Bool) -> OpenedCode {
        OpenedCode(
            id: identity.id, publicKey: identity.clientKey.publicKey, isHeld: isHeld, isStored: isStored)
    }

    private func markProven(_ identity: borrowing LockedIdentity) throws {
        let key = keystore.digestKey(UploadState.digestPurpose)
        var state = try UploadState(of: identity.records, key: key)
        state.codeProvenAt = now()
        try state.write(to: identity, key: key)
    }
}
