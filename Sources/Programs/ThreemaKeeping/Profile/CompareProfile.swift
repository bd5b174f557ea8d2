internal import Keystore
package import SafeKeeping
package import Threema
internal import ThreemaRecords
package import ThreemaSafe

/// What distinguishes the keystore's profile from another one.
package struct ProfileComparison: Sendable {
    /// From the other document to that of the keystore.
    package let document: DocumentDifference
    /// Whether the private keys differ; false if a file has none.
    package let isOtherKey: Bool
    /// Whether the device group keys differ, or only one side has one. False for a file without one.
    package let isOtherDeviceGroupKey: Bool

    /// Whether both say the same.
    package var isSame: Bool { document.isEmpty && !isOtherKey && !isOtherDeviceGroupKey }
}

extension ProfileKeeper {
    /// Compares the profile with a file.
    package func compare(_ id: ThreemaID, with file: borrowing DocumentFile) throws -> ProfileComparison {
        let records = try keystore.identity(.threema(id))
        let profile = try records.profile()
        let hasNoGroupKey = file.profile.deviceGroupKey == nil
        return ProfileComparison(
            document: DocumentDifference(from: file.profile.document, to: profile.document),
            isOtherKey: try !hasSameKey(file, as: records),
            isOtherDeviceGroupKey: !hasNoGroupKey && !profile.hasSameDeviceGroupKey(as: file.profile))
    }

    /// Compares the profile with the backup on the server.
    /// - Throws: as `SafeKeeper.backup(at:)`. An older or foreign backup is compared like any other.
    package func compareWithServer(_ place: SafePlace) throws -> ProfileComparison {
        let backup = try safe.backup(at: place)
        let records = try keystore.identity(.threema(place.id))
        let profile = try records.profile()
        return ProfileComparison(
            document: DocumentDifference(from: backup.document, to: profile.document),
            isOtherKey: try !records.identity().clientKey.isSame(as: backup.clientKey),
            isOtherDeviceGroupKey: !profile.hasSameDeviceGroupKey(as: backup.profile))
    }
}

extension Profile {
    /// Compares in constant time.
    fileprivate func hasSameDeviceGroupKey(as other: borrowing Profile) -> Bool {
        switch deviceGroupKey {
        case .none: return other.deviceGroupKey == nil
        case .some(let key):
            switch other.deviceGroupKey {
            case .none: return false
            case .some(let otherKey): return key == otherKey
            }
        }
    }
}
