internal import Encodings
internal import Keystore
internal import SafeKeeping
internal import SecureMemory
package import Threema
internal import ThreemaRecords
package import ThreemaSafe

extension ProfileKeeper {
    /// Replaces the profile by that of a file, in one commit. If the file has no device group key, the keystore keeps its
    /// own.
    /// - Parameter isReplacing: accept the loss of changes that were not uploaded.
    /// - Returns: whether the profile was stored; false if document and device group key are the same already.
    /// - Throws: `ProfileKeepingError.otherKey`, `.unsavedChanges`; `SafeBackupError.gzip(.tooLarge)`. Then nothing was
    ///   changed.
    package func replace(
        by file: borrowing DocumentFile, of id: ThreemaID, isReplacing: Bool
    ) throws -> Bool {
        let held = try keystore.lockedIdentity(.threema(id), wait: LockedIdentity.usualWait)
        guard try hasSameKey(file, as: held.records) else { throw ProfileKeepingError.otherKey(id: id.text) }
        let before = try held.records.profile()
        let after =
            file.profile.deviceGroupKey == nil
            ? Profile(file.profile.document, deviceGroupKey: before.deviceGroupKey.copy)
            : Profile(file.profile.document, deviceGroupKey: file.profile.deviceGroupKey.copy)
        if before == after { return false }
        guard after.document.fitsBackup else { throw ProfileKeepingError.tooMuch }
        guard try isReplacing || !isUnsaved(before, held.records) else {
            throw ProfileKeepingError.unsavedChanges(id: id.text, hasSafe: try !held.records.safePlaces().isEmpty)
        }
        try held.write(after)
        return true
    }

    /// Whether the file has the private key of the identity, or none.
    func hasSameKey(_ file: borrowing DocumentFile, as records: borrowing IdentityRecords) throws -> Bool {
        switch file.clientKey {
        case .none: true
        case .some(let key): try records.identity().clientKey.isSame(as: key)
        }
    }
}

extension ClientKey {
    /// Compares in constant time.
    func isSame(as other: borrowing ClientKey) -> Bool {
        bytes.withBytes { bytes in other.bytes.withBytes { ConstantTime.areEqual(bytes, $0) } }
    }
}
