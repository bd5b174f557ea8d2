internal import Encodings

/// The name of an authorization key: the last 8 bytes of its SHA-1. It stands in clear text before each packet.
///
/// It is copied as it is. Where it is a number, the bytes are little-endian, and it is unsigned.
public struct KeyID: Hashable, Sendable, CustomStringConvertible {
    /// Length in bytes.
    public static let count = 8
    /// It means that a packet is not encrypted. No key has it.
    public static let zero = KeyID(number: 0)

    /// The bytes as a number, little-endian.
    public let number: UInt64

    /// - Parameter bytes: 8 bytes.
    public init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.count)
        number = bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// - Parameter number: little-endian.
    public init(number: UInt64) { self.number = number }

    /// - Parameter text: 16 hexadecimal digits, the bytes in their order; nil for anything else.
    public init?(_ text: String) {
        guard let bytes = Hex.decode(text), bytes.count == Self.count else { return nil }
        self.init(bytes)
    }

    /// The 8 bytes.
    public var bytes: [UInt8] { (0..<UInt64(Self.count)).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }

    /// Whether it means that a packet is not encrypted.
    public var isZero: Bool { number == 0 }

    /// The bytes as 16 hexadecimal digits, in lower case.
    public var description: String { Hex.encode(bytes) }
}
