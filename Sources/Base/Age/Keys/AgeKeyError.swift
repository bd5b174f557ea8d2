/// Why a text is not a key of age.
public enum AgeKeyError: Error, Equatable, Sendable {
    /// It has no "1" with a prefix before it, or it is longer than any key.
    case notKey
    /// A character that cannot stand there; the position counts from 1.
    case character(position: Int)
    /// The checksum is wrong: the text was mistyped or cut off.
    case checksum
    /// The case is mixed or the wrong one, the prefix is unknown, the length is wrong, or it is a public key that no
    /// secret key has.
    case malformed
    /// A recipient was expected, but it is an identity, which is secret.
    case isIdentity
    /// An identity was expected, but it is a recipient.
    case isRecipient
    /// A key of a kind that is not supported: a post-quantum key, a key in a device, or one of a plugin, whose name it
    /// is.
    case unsupported(Kind)

    /// Kinds of keys that age knows and this library does not.
    public enum Kind: Equatable, Sendable {
        case postQuantum
        case hardware
        case ssh
        case plugin(String)
    }
}
