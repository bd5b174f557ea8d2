public import Encodings

/// Why bytes are no body of their type, or a value cannot be sent as one.
public enum MessageBodyError: Error, Equatable, Sendable {
    case wrongLength(expected: Int, actual: Int)
    case tooShort(minimum: Int, actual: Int)
    case tooLong(limit: Int, actual: Int)
    case notUnicode
    /// A member or creator is not an ID.
    case invalidID
    /// A number or a choice has a value that means nothing.
    case invalidValue
    /// Latitude, longitude or accuracy is malformed or out of range.
    case coordinates
    /// The name of a place has a line break, which its message cannot hold.
    case lineBreak
    case json(JSONError)
    /// A member of the JSON object is missing or of another type.
    case member(String)
    case protobuf
}

/// Limits on what is sent. What is received may be longer, up to a payload's length.
public enum MessageLimits {
    /// Most bytes of a body, so that it fits into a payload with padding and metadata.
    public static let bodyBytes = 7000
    /// Most bytes of a text, and of a file's caption.
    public static let textBytes = 6000
    /// Most bytes of a file's name.
    public static let fileNameBytes = 256
    /// Most bytes of a nickname.
    public static let nicknameBytes = 32
    /// Most members of a group, with its creator.
    public static let groupMembers = 256
}
