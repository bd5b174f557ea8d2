/// Why an identity, a backup or a share cannot be read.
public enum BackupError: Error, Equatable, Sendable {
    /// The first bytes are those of another file.
    case unknownFormat
    /// A version that is not read here.
    case unknownVersion(UInt8)
    /// The number of iterations is below or above what is read.
    case iterations(UInt32)
    /// The passphrase has fewer characters than it must have.
    case shortPassphrase
    /// The key, which a passphrase makes, does not open the file, or the file is damaged. They cannot be told apart.
    case wrongKeyOrDamaged
    /// A length or a field is wrong.
    case malformed
    /// The keys are those of another identity than the one that is named beside them.
    case wrongIdentity
}
