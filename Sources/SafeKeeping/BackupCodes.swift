public import Encodings
internal import Keystore
public import SecureMemory
public import Threema

extension SafeKeeper {
    /// Writes an identity down as a backup code.
    /// - Parameter password: at least 8 characters; that is the caller's to check.
    public func exportCode(
        of id: ThreemaID, password: borrowing SecureBytes, scheme: IDBackup.Scheme
    ) throws -> GroupedCode {
        let identity = try keystore.identity(id.text).identity()
        return try password.withBytes { (password) throws(IDBackupError) in
            try IDBackup.seal(identity, password: password, scheme: scheme)
        }
    }

    /// What a code must turn out to be.
    public struct Expectations: Sendable {
        /// The ID in the code.
        public var id: ThreemaID?
        /// The public key of the private key in the code.
        public var publicKey: PublicKey?
        /// The check word of the code itself.
        public var checkWord: GroupedCode?

        /// What is nil is not compared.
        public init(id: ThreemaID? = nil, publicKey: PublicKey? = nil, checkWord: GroupedCode? = nil) {
            self.id = id
            self.publicKey = publicKey
            self.checkWord = checkWord
        }

        /// Compares what needs no password.
        /// - Throws: `SafeKeepingError.unexpected(.checkWord)`.
        public func check(_ code: GroupedCode) throws {
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
    public static func openCode(
        _ code: GroupedCode, password: borrowing SecureBytes, expecting expectations: Expectations
    ) throws -> Identity {
        try expectations.check(code)
        let identity = try password.withBytes { (password) throws(IDBackupError) in
            try IDBackup.open(code, password: password)
        }
        try expectations.check(identity)
        return identity
    }

    /// Keeps an identity that came from elsewhere.
    /// - Parameters:
    ///   - replacing: over another key.
    ///   - isFromCode: whether a backup code gave it, which is proven by that.
    /// - Returns: whether it is new here; held already with the same key, nothing else changes.
    /// - Throws: `SafeKeepingError.otherKey` where the keystore holds the ID with another key, unless
    ///   `replacing`. Then nothing was stored.
    public func keep(_ identity: borrowing Identity, replacing: Bool, isFromCode: Bool) throws -> Bool {
        var isNew = true
        do {
            try add(identity, profile: .empty)
        } catch KeystoreError.exists {
            let held = try keystore.lockedIdentity(identity.id.text, wait: Self.lockWait)
            isNew = try !held.records.isHolding(identity, orDamaged: replacing)
            guard !isNew || replacing else { throw SafeKeepingError.otherKey(id: identity.id.text) }
            if isNew {
                // The Safe holds the old key until the next upload: forget that it is up to date.
                try held.removeState()
                try held.write(identity)
            }
        }
        if isFromCode { _ = try markProven(identity) }
        return isNew
    }

    /// Remembers that a code of this identity was proven, where the keystore holds it with the same key.
    /// - Returns: whether it does.
    public func markProven(_ identity: borrowing Identity) throws -> Bool {
        guard try keystore.identities().contains(identity.id.text) else { return false }
        let held = try keystore.lockedIdentity(identity.id.text, wait: Self.lockWait)
        guard try held.records.isHolding(identity, orDamaged: true) else { return false }
        let key = stateKey
        var state = try UploadState(of: held.records, key: key)
        state.codeProvenAt = now()
        try state.write(to: held, key: key)
        return true
    }

    /// How long verbs that have no option for it wait for an identity's lock.
    package static let lockWait = Duration.seconds(60)
}
