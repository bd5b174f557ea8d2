internal import Encodings
internal import SecureMemory

/// The 16 bytes that its initiator draws for a session. If two sessions can be used, both sides use the lower ID.
public struct SessionID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Length in bytes.
    public static let count = 16

    /// The 16 bytes.
    public let bytes: [UInt8]

    /// - Parameter bytes: 16 bytes.
    public init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.count)
        self.bytes = bytes
    }

    /// Compares byte by byte, from the first one.
    public static func < (left: SessionID, right: SessionID) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    /// 32 lower-case hexadecimal digits.
    public var description: String { Hex.encode(bytes) }
}
