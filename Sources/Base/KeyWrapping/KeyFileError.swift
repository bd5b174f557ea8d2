public import Primitives

/// Why a key file was not opened or written.
public enum KeyFileError: Error, Equatable, Sendable {
    /// It does not have the structure of a key file, or its check fails.
    case malformed
    /// Its version is not known.
    case unknownVersion(UInt64)
    /// Its kind of protection is not known; the number in the file.
    case unknownProtection(UInt8)
    /// A parameter of its cost is out of bounds; nothing was derived. The value is in the parameter's unit.
    case cost(Argon2idCost.Parameter, UInt64)
    /// Its key is sealed with a remote secret, which only the app's server has.
    case remoteSecret
    /// Its key is sealed with another one, which the phone's KeyStore has and never gives out.
    case sealedByPhone
    /// It needs a passphrase.
    case protected
    /// The passphrase is wrong, or the file is damaged. The formats do not distinguish them.
    case notOpened
    /// The key was not derived from the passphrase.
    case derivation(KeyDerivationError)
    /// The new file does not open again; it was discarded.
    case notReproduced
}
