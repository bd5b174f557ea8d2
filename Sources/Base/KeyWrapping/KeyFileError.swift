public import Primitives

/// Why a key file does not give its key.
public enum KeyFileError: Error, Equatable, Sendable {
    /// It has not the structure of a key file, or fails its own check.
    case malformed
    /// A version that is not known.
    case unknownVersion(UInt64)
    /// A kind of protection that is not known, by its number in the file.
    case unknownProtection(UInt8)
    /// A cost that is asked for is out of bounds; nothing was spent.
    case cost(Argon2idCost.Parameter, UInt64)
    /// Its key is under a remote secret, which only the app's server gives out.
    case remoteSecret
    /// It needs a passphrase.
    case protected
    /// The passphrase is wrong, or the file is damaged: the formats cannot tell.
    case notOpened
    /// The key of the passphrase was not derived.
    case derivation(KeyDerivationError)
    /// What was just made does not open again; it was discarded.
    case notReproduced
}
