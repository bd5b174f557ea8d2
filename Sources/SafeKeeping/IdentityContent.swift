internal import Encodings
internal import Keystore
internal import SecureMemory
internal import Threema

// What the records of a Threema identity contain:
//
//   identity   ID ‖ client key, 40 bytes (see `Identity`)
//   profile    the Safe document without the private key, JSON
//   safe       where its Safe backup goes (see `SafeSetup`); missing while there is no setup

extension RecordName {
    static let identity: RecordName = "identity"
    static let profile: RecordName = "profile"
    static let safe: RecordName = "safe"
}

extension IdentityRecords {
    /// - Throws: `KeystoreError.damaged` where the record is missing or holds another ID.
    func identity() throws -> Identity {
        guard let record = try read(.identity),
            let identity = try? record.withBytes({ (bytes) throws(IdentityError) in try Identity(decoding: bytes) }),
            identity.id.text == id
        else { throw KeystoreError.damaged(record: "identity", id: id) }
        return identity
    }

    /// Whether this is the identity that the records hold.
    /// - Parameter orDamaged: a damaged record counts as another identity instead of failing: it is to be replaced.
    func isHolding(_ identity: borrowing Identity, orDamaged: Bool) throws -> Bool {
        do {
            return try self.identity().isSame(as: identity)
        } catch KeystoreError.damaged where orDamaged {
            return false
        }
    }

    func profile() throws -> SafeDocument {
        guard let record = try read(.profile),
            let root = try? record.withBytes({ (bytes) throws(JSONError) in try JSONScanner.parse(bytes) }),
            let profile = try? SafeDocument(root)
        else { throw KeystoreError.damaged(record: "profile", id: id) }
        return profile
    }

    /// Nil where no Safe is set up.
    func setup() throws -> SafeSetup? {
        guard let record = try read(.safe) else { return nil }
        guard let setup = try? record.withBytes({ (bytes) throws(SafeSetupError) in try SafeSetup(decoding: bytes) })
        else { throw KeystoreError.damaged(record: "safe", id: id) }
        return setup
    }

    /// - Throws: `SafeKeepingError.noSetup`.
    func requiredSetup() throws -> SafeSetup {
        guard let setup = try setup() else { throw SafeKeepingError.noSetup(id: id) }
        return setup
    }
}

extension LockedIdentity {
    func write(_ identity: borrowing Identity) throws {
        try identity.encoded().withBytes { bytes in try write(.identity, bytes) }
    }

    func write(_ profile: SafeDocument) throws {
        try write(.profile, profile.encoded.span)
    }

    func write(_ setup: borrowing SafeSetup) throws {
        let record = setup.encoded()
        try record.withBytes { bytes in try write(.safe, bytes) }
    }
}
