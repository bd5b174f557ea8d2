internal import Keystore
internal import SafeKeeping
package import Threema
internal import ThreemaRecords
package import ThreemaSafe

extension CodeKeeper {
    /// What storing a data backup has changed.
    package struct StoredDataBackup: Equatable, Sendable {
        /// Whether the keystore did not hold this private key.
        package let isNew: Bool
        /// Whether the profile was stored; false if the keystore had the same.
        package let isProfileStored: Bool
    }

    /// What to do if the identity has another profile in the keystore. An empty one is always replaced.
    package enum OtherProfile: Sendable {
        /// Fail with `ProfileKeepingError.otherProfile`.
        case refuse
        /// Replace it. A device group key stays.
        case replace
    }

    /// Stores the identity and the profile of a data backup in one step. It proves no backup code.
    /// - Throws: `SafeKeepingError.otherKey`; `ProfileKeepingError.otherProfile`; `KeystoreError.damaged`; `FileError`.
    ///   Then nothing was stored.
    package func store(
        _ identity: borrowing Identity, with document: SafeDocument, ifOtherKey otherKey: OtherKey,
        ifOtherProfile otherProfile: OtherProfile
    ) throws -> StoredDataBackup {
        let id = identity.id
        do {
            try keystore.add(.threema(id)) { new in
                try new.write(Profile(document))
                try new.write(identity)
            }
            return StoredDataBackup(isNew: true, isProfileStored: true)
        } catch KeystoreError.exists {
            let held = try keystore.lockedIdentity(.threema(id), wait: LockedIdentity.usualWait)
            let isSameKey = try held.records.isHolding(identity, orDamaged: otherKey == .replace)
            guard isSameKey || otherKey == .replace else { throw SafeKeepingError.otherKey(id: id.text) }
            let profile = try held.records.profile()
            let difference = DocumentDifference(from: document, to: profile.document)
            guard difference.isEmpty || profile.document == .empty || otherProfile == .replace else {
                throw ProfileKeepingError.otherProfile(id: id.text, difference: difference)
            }
            var changes = held.changes()
            if !difference.isEmpty { changes.set(Profile(document, deviceGroupKey: profile.deviceGroupKey.copy)) }
            if !isSameKey { try set(identity, of: held.records, in: &changes) }
            try held.commit(changes)
            return StoredDataBackup(isNew: !isSameKey, isProfileStored: !difference.isEmpty)
        }
    }
}
