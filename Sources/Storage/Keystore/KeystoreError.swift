/// What is wrong with a keystore; what is wrong with files comes as `FileError`, a bad master key file as
/// `KeyFileError`.
public enum KeystoreError: Error, Equatable, Sendable {
    /// There is no keystore, or an empty one.
    case absent(path: String)
    /// The keystore holds no such identity.
    case noIdentity(Owner)
    /// The keystore holds this identity already.
    case exists(Owner)
    /// The keystore holds identities, so its master key is not to be replaced.
    case notEmpty(path: String)
    /// Another process changed the master key's file meanwhile.
    case changed(path: String)
    /// A passphrase was given for a keystore without protection: somebody may have put another one in its place.
    case unprotected(path: String)
    /// A file that is not keytool's stands where its record belongs.
    case foreign(path: String)
    /// Identities are there, but the key that opens them is gone.
    case masterKeyMissing(path: String)
    /// A record does not open with the master key: one of the two is damaged. The owner is nil for the keystore's own.
    case damaged(record: String, owner: Owner?)
    /// The keystore is of a version that is not known.
    case unknownVersion(UInt8)
    /// A directory of version 1 in a keystore of version 2; it is not read.
    case notConverted(path: String)
}
