/// Why the data of a payload are refused.
public enum ChatPayloadError: Error, Equatable, Sendable {
    case wrongLength(expected: Int, actual: Int)
    case tooShort(minimum: Int, actual: Int)
    /// An acknowledgement does not begin with an ID.
    case invalidID
    /// An idle time-out is not in its range.
    case outOfRange
}
