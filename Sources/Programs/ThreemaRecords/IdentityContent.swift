package import Keystore
package import SecureMemory
package import Threema
package import ThreemaSafe

// The records of a Threema identity:
//
//   identity        ID ‖ client key, 40 bytes (see `Identity`)
//   profile         the Safe document without secrets, JSON
//   devicegroupkey  the device group key of that document, 32 bytes; missing if it has none
//   gatewaysecret   the API secret of a Gateway ID (see `GatewaySecret`); missing if none was given

extension Owner {
    /// The messenger of Threema's identities.
    package static let threema = "threema"

    /// Cannot fail: the characters of a Threema ID are allowed in an owner's ID.
    package static func threema(_ id: ThreemaID) -> Owner { Owner(messenger: threema, id: id.text)! }
}

extension OpenKeystore {
    /// The IDs of all Threema identities, in order. Nothing is decrypted. Directories with other names are skipped.
    package func threemaIDs() throws -> [ThreemaID] {
        try identities().filter { $0.messenger == Owner.threema }.compactMap { try? ThreemaID($0.id) }
    }

    /// How many directories of Threema have names that are not IDs, as after a copy to a medium that changes upper case.
    package func countMisnamed() throws -> Int {
        try identities().count { $0.messenger == Owner.threema && (try? ThreemaID($0.id)) == nil }
    }
}

extension RecordName {
    package static let identity: RecordName = "identity"
    package static let profile: RecordName = "profile"
    package static let deviceGroupKey: RecordName = "devicegroupkey"
    package static let gatewaySecret: RecordName = "gatewaysecret"
}

extension IdentityRecords {
    /// - Throws: `KeystoreError.damaged` if the record is missing or holds another ID.
    package func identity() throws -> Identity {
        guard let record = try read(.identity),
            let identity = try? record.withBytes({ (bytes) throws(IdentityError) in try Identity(decoding: bytes) }),
            identity.id.text == owner.id
        else { throw KeystoreError.damaged(record: "identity", owner: owner) }
        return identity
    }

    /// The API secret; nil if there is none.
    /// - Throws: `KeystoreError.damaged`.
    package func gatewaySecret() throws -> GatewaySecret? {
        guard let record = try read(.gatewaySecret) else { return nil }
        guard let secret = GatewaySecret(record) else {
            throw KeystoreError.damaged(record: RecordName.gatewaySecret.text, owner: owner)
        }
        return secret
    }

    /// Whether the records hold this ID with this private key.
    /// - Parameter orDamaged: whether a damaged record counts as another identity and is not an error.
    package func isHolding(_ identity: borrowing Identity, orDamaged: Bool) throws -> Bool {
        do {
            return try self.identity().isSame(as: identity)
        } catch KeystoreError.damaged where orDamaged {
            return false
        }
    }

    /// - Throws: `KeystoreError.damaged`.
    package func profile() throws -> Profile { try profile(profileRecord()) }

    /// The record `profile`, unparsed.
    /// - Throws: `KeystoreError.damaged`.
    package func profileRecord() throws -> SecureBytes {
        guard let record = try read(.profile) else { throw KeystoreError.damaged(record: "profile", owner: owner) }
        return record
    }

    /// - Parameter record: the JSON from `profileRecord`.
    /// - Throws: `KeystoreError.damaged`.
    package func profile(_ record: borrowing SecureBytes) throws -> Profile {
        let profile: Profile
        do throws(SafeBackupError) {
            profile = try record.withBytes { (bytes) throws(SafeBackupError) in try Profile(decodingWhole: bytes) }
        } catch {
            throw KeystoreError.damaged(record: "profile", owner: owner)
        }
        // An earlier version stored the key in the document. If the document has it, that version wrote last.
        guard profile.deviceGroupKey == nil, let key = try read(.deviceGroupKey) else { return profile }
        guard key.count == DeviceGroupKey.count else {
            throw KeystoreError.damaged(record: "devicegroupkey", owner: owner)
        }
        return Profile(profile.document, deviceGroupKey: DeviceGroupKey(key))
    }
}

extension LockedIdentity {
    package func write(_ identity: borrowing Identity) throws {
        try identity.encoded().withBytes { bytes in try write(.identity, bytes) }
    }

    package func write(_ profile: borrowing Profile) throws {
        var changes = changes()
        changes.set(profile)
        try commit(changes)
    }
}

extension RecordChanges {
    /// Sets both records of a profile.
    package mutating func set(_ profile: borrowing Profile) {
        set(.profile, profile.document.encoded.span)
        switch profile.deviceGroupKey {
        case .some(let key): key.bytes.withBytes { set(.deviceGroupKey, $0) }
        case .none: remove(.deviceGroupKey)
        }
    }
}
