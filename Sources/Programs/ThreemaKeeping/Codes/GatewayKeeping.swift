internal import Keystore
internal import SafeKeeping
package import SecureMemory
package import Threema
internal import ThreemaRecords
internal import ThreemaSafe

extension CodeKeeper {
    /// What storing the key of a Gateway ID has changed.
    package struct StoredGatewayKey: Equatable, Sendable {
        /// Whether the keystore did not hold this private key.
        package let isNew: Bool
        /// Whether the API secret was stored; false if none was given, or if the keystore had it.
        package let isSecretStored: Bool
    }

    /// Stores an identity and its API secret in one step. A secret that is held stays if none is given.
    /// - Parameter otherKey: also what happens to another secret.
    /// - Throws: `SafeKeepingError.otherKey`; `GatewayKeepingError.otherSecret`; `KeystoreError.damaged`; `FileError`.
    ///   Then nothing was stored.
    package func store(
        _ identity: borrowing Identity, secret: borrowing GatewaySecret?, ifOtherKey otherKey: OtherKey
    ) throws -> StoredGatewayKey {
        let id = identity.id
        do {
            var isSecretStored = false
            try keystore.add(.threema(id)) { new in
                try new.write(.empty)
                switch secret {
                case .some(let secret):
                    try secret.bytes.withBytes { try new.write(.gatewaySecret, $0) }
                    isSecretStored = true
                case .none: break
                }
                try new.write(identity)
            }
            return StoredGatewayKey(isNew: true, isSecretStored: isSecretStored)
        } catch KeystoreError.exists {
            let held = try keystore.lockedIdentity(.threema(id), wait: LockedIdentity.usualWait)
            let isSameKey = try held.records.isHolding(identity, orDamaged: otherKey == .replace)
            guard isSameKey || otherKey == .replace else { throw SafeKeepingError.otherKey(id: id.text) }
            var changes = held.changes()
            var isSecretStored = false
            switch secret {
            case .some(let secret):
                isSecretStored = try !Self.isHeld(secret, held.records, ifOther: otherKey)
                if isSecretStored { secret.bytes.withBytes { changes.set(.gatewaySecret, $0) } }
            case .none: break
            }
            if !isSameKey { try set(identity, of: held.records, in: &changes) }
            guard isSecretStored || !isSameKey else { return StoredGatewayKey(isNew: false, isSecretStored: false) }
            try held.commit(changes)
            return StoredGatewayKey(isNew: !isSameKey, isSecretStored: isSecretStored)
        }
    }

    /// The API secret of an identity; nil if the keystore holds none.
    /// - Throws: `KeystoreError.noIdentity`, `.damaged`.
    package func gatewaySecret(of id: ThreemaID) throws -> GatewaySecret? {
        try keystore.identity(.threema(id)).gatewaySecret()
    }

    /// The private key of an identity as a Gateway's programs read it, 73 bytes.
    /// - Throws: `KeystoreError.noIdentity`, `.damaged`.
    package func revealGatewayKey(of id: ThreemaID) throws -> SecureBytes {
        GatewayKeyText.encode(try keystore.identity(.threema(id)).identity().clientKey)
    }

    /// - Throws: `GatewayKeepingError.otherSecret`; `KeystoreError.damaged`.
    private static func isHeld(
        _ secret: borrowing GatewaySecret, _ records: borrowing IdentityRecords, ifOther other: OtherKey
    ) throws -> Bool {
        do {
            switch try records.gatewaySecret() {
            case .none: return false
            case .some(let held):
                if held.isSame(as: secret) { return true }
                guard other == .replace else { throw GatewayKeepingError.otherSecret(id: records.owner.id) }
                return false
            }
        } catch KeystoreError.damaged { return false }
    }
}

/// Why the key of a Gateway ID was not stored. Nothing was changed.
package enum GatewayKeepingError: Error, Equatable, Sendable {
    /// The keystore holds another API secret of this ID.
    case otherSecret(id: String)
}
