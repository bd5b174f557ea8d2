/// Why a keystore cannot be used. Failures of files are `FileError`, those of the master key's file `KeyFileError`.
public enum KeystoreError: Error, Equatable, Sendable {
    /// The keystore does not exist, or it is an empty directory.
    case absent(path: String)
    /// The keystore does not hold this identity.
    case noIdentity(Owner)
    /// The keystore holds this identity already.
    case exists(Owner)
    /// The keystore holds identities, so its master key is not replaced.
    case notEmpty(path: String)
    /// Another process changed the master key's file meanwhile.
    case changed(path: String)
    /// The directory at the keystore's path is no longer the one that was opened.
    case moved(path: String)
    /// A passphrase was given for a keystore without protection. An attacker may have replaced the keystore.
    case unprotected(path: String)
    /// A file that is not keytool's stands where its record belongs.
    case foreign(path: String)
    /// The keystore holds identities, but the file of its master key is missing.
    case masterKeyMissing(path: String)
    /// A record does not open with the master key: one of the two is damaged. The owner is nil for the keystore's own
    /// record. The place is that of a Safe's record, if the identity has several.
    case damaged(record: String, owner: Owner?, place: PlaceName? = nil)
    /// The version of the keystore is not known.
    case unknownVersion(UInt8)
    /// The keystore is of version 1, which is not read.
    case version1(path: String)
}
