internal import Keystore
internal import SafeRules
internal import SafeWire
internal import SecureMemory
package import Threema
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

    /// Compares the profile with the backup on the server, which is read as by `SafeKeeper.look`: a loss that is found is
    /// saved, and the backup does not become known.
    /// - Throws: `SafeKeepingError.noSetup`, `.noBackup`, `.badLimits`, `.refused(.tooLong)`; for a setup for reading
    ///   only `.refused(.mirror(.absent))`, `.refused(.mirror(.tooLong))`; `SafeExchangeError`; `SafeBackupError`. An
    ///   older or foreign backup is compared like any other.
    package func compareWithServer(_ place: SafePlace) throws -> ProfileComparison {
        let result = try safe.run(.check, at: place, isLooking: true)
        switch result.outcome.failure {
        case .exchange, .badLimits, .tooLong, .mirror(.tooLong), .mirror(.absent): try safe.check(result, at: place)
        default: break
        }
        guard let bytes = result.bytes else {
            throw SafeKeepingError.noBackup(id: place.id.text, server: result.address.text, isFromPassword: false)
        }
        let records = try keystore.identity(.threema(place.id))
        let target = try records.requiredSetup(at: place.name).current.copy
        let backup = try SafeBackup.open(bytes.span, keys: target.keys)
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
