public import Encodings

/// A timestamp of a message. The protocol has milliseconds since 1970, but some clients sent seconds.
public struct MessageTime: Hashable, Sendable {
    /// A value below this is taken as seconds: in milliseconds it would be before March 1973.
    public static let firstMilliseconds: UInt64 = 100_000_000_000

    /// The number as it was written: milliseconds, or seconds (`isSeconds`).
    public let value: UInt64

    /// Takes a number as it was written; every one is valid.
    public init(_ value: UInt64) { self.value = value }

    /// Whether the number is taken as seconds, of which a user should be warned.
    public var isSeconds: Bool { value < Self.firstMilliseconds }

    /// The time; nil if it does not fit.
    public var timestamp: Timestamp? {
        Int64(exactly: isSeconds ? value * 1000 : value).map { Timestamp(milliseconds: $0) }
    }
}
