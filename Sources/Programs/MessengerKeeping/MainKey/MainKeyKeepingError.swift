package import ProtonMainKey

/// Why an operation on a MainKey was refused. Failures of files and records are those of the keystore.
package enum MainKeyKeepingError: Error, Equatable, Sendable {
    /// The keystore does not hold this MainKey.
    case noKey(CheckValue)
    /// Another process changed the protections meanwhile. Nothing was changed.
    case changed(CheckValue)
    /// No protection of this kind is there to open.
    case noProtection(ProtectionKinds, of: CheckValue)
    /// The PIN is wrong. The form of the file tells damage apart from that.
    case wrongPIN
    /// None of the secret keys opens the key protection of this MainKey; nil for a protection that is not stored yet.
    case wrongIdentity(CheckValue?)
    /// A protection opens, but not to this MainKey.
    case otherKey(CheckValue)
    /// The protections are not changed.
    case refused(CheckValue, ProtectionRefusal)
    /// The copy in the clear is removed only after a real protection has opened.
    case unproven
    /// A record has an unknown version.
    case unknownVersion(record: String, UInt8)
    /// The autolock setting is 0, so an unlocked key would be removed at once.
    case alwaysLocked(CheckValue)
    /// It is still there after it was removed.
    case notRemoved(CheckValue)
    /// More recipients than are accepted.
    case tooManyRecipients(limit: Int)
}
