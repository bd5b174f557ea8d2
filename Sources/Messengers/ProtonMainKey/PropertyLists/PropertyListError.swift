/// Why bytes are not a property list that is read, or values not one that is written.
public enum PropertyListError: Error, Equatable, Sendable {
    /// It is longer than `limit` bytes.
    case tooLong(limit: Int)
    /// It does not begin with `bplist00`. Lists in XML are not read.
    case notBinary
    /// The last 32 bytes do not fit what is before them.
    case malformedTrailer
    /// An object or a reference lies outside of the list.
    case malformedObject
    /// An object of another type, for example null, a set or a UID.
    case unsupportedObject(marker: UInt8)
    /// Text that is not ASCII, UTF-16 or UTF-8, as it has to be.
    case invalidText
    /// An integer below -2^63, or of 2^64 or more.
    case integerOutOfRange
    /// A dictionary's key is not text.
    case keyNotText
    /// A dictionary has two equal keys.
    case duplicateKey
    /// It has more than `limit` objects.
    case tooManyObjects(limit: Int)
    /// A value contains itself.
    case cycle
    /// More than `limit` arrays and dictionaries contain each other.
    case tooDeep(limit: Int)
    /// Values that are used several times would take more than `limit` bytes if each were written wherever it is used.
    case expandsTooFar(limit: Int)
}
