internal import Keystore
internal import SafeKeeping
internal import SecureMemory
package import Threema
internal import ThreemaRecords
package import ThreemaSafe

/// Operations on the profile of an identity: the document that the next Safe backup will have.
package struct ProfileKeeper: Sendable {
    let keystore: OpenKeystore
    let safe: SafeKeeper

    /// The document, without secrets.
    /// - Throws: `KeystoreError.noIdentity`, `.damaged`.
    package func document(of id: ThreemaID) throws -> SafeDocument {
        try keystore.identity(.threema(id)).profile().document
    }

    /// Changes the document under the identity's lock, in one commit. If nothing changes, nothing is written. The next
    /// push uploads the change.
    /// - Parameter change: returns the new document. What it throws is passed on, and nothing was changed.
    /// - Returns: the difference from the former document to the new one.
    @discardableResult
    package func edit(
        _ id: ThreemaID, _ change: (SafeDocument) throws -> SafeDocument
    ) throws -> DocumentDifference {
        try keystore.lockedIdentity(.threema(id), wait: LockedIdentity.usualWait).edit(change)
    }

    /// Whether the profile has content that a backup lacks.
    func isUnsaved(_ profile: borrowing Profile, _ records: borrowing IdentityRecords) throws -> Bool {
        if profile.document == .empty && profile.deviceGroupKey == nil { return false }
        return try records.isUnsaved(profile, key: keystore.stateKey)
    }
}

extension LockedIdentity {
    /// As `ProfileKeeper.edit`.
    @discardableResult
    func edit(_ change: (SafeDocument) throws -> SafeDocument) throws -> DocumentDifference {
        let profile = try records.profile()
        let before = profile.document
        let after = try change(before)
        let difference = DocumentDifference(from: before, to: after)
        // A default that is written out is no change: the next push would have nothing to say.
        if difference.isEmpty { return difference }
        // What is too much already may become less.
        guard after.fitsBackup || after.encoded.count < before.encoded.count else { throw ProfileKeepingError.tooMuch }
        try write(Profile(after, deviceGroupKey: profile.deviceGroupKey.copy))
        return difference
    }
}

/// Why an operation on profile or contacts was refused. Nothing was changed.
package enum ProfileKeepingError: Error, Equatable, Sendable {
    /// The file holds another private key than the keystore.
    case otherKey(id: String)
    /// The profile has changes that were not uploaded.
    case unsavedChanges(id: String, hasSafe: Bool)
    /// The keystore has another profile than the data backup.
    /// - Parameter difference: from the data backup to the keystore.
    case otherProfile(id: String, difference: DocumentDifference)
    /// No backup could hold it, and the keystore could not read it.
    case tooMuch
    /// A contact cannot be one's own ID.
    case ownID(String)
    /// The contact has level 3, but the profile has no key of it, and the given one is not verified.
    case unprovenKey(id: String)
    /// The contact is in the profile with another public key.
    case otherContactKey(id: String, stored: PublicKey, given: PublicKey)
    case noContact(id: String)
    /// The contact is in the profile without a readable key.
    case noContactKey(id: String)
    case expiredCode(id: String)
    /// No directory has said that the contact was revoked.
    case notRevoked(id: String)
}

extension Optional where Wrapped == DeviceGroupKey {
    /// A copy in guarded memory.
    var copy: DeviceGroupKey? {
        switch self {
        case .some(let key): DeviceGroupKey(key.bytes.withBytes { SecureBytes(copying: $0) })
        case .none: nil
        }
    }
}
