internal import Encodings
internal import SecureMemory

/// The 8 bytes by which a sender tells its messages apart. All copies of a group message have the same.
public struct MessageID: Hashable, Sendable, CustomStringConvertible {
    /// Length in bytes.
    public static let count = 8

    /// The number that the bytes are, little-endian.
    public let value: UInt64

    /// Every number is an ID.
    public init(_ value: UInt64) { self.value = value }

    /// - Parameter bytes: 8 bytes, in the order of the wire.
    public init(bytes: Span<UInt8>) {
        precondition(bytes.count == Self.count)
        value = bytes.littleEndian(at: 0, width: Self.count)
    }

    /// - Returns: nil unless `hex` is 16 hexadecimal digits, in the order of the wire.
    public init?(hex: String) {
        guard let bytes = Hex.decode(hex), bytes.count == Self.count else { return nil }
        self.init(bytes: bytes.span)
    }

    /// A fresh ID for a new message.
    public static func random() -> MessageID { MessageID(bytes: Random.bytes(count).span) }

    /// The 8 bytes, in the order of the wire.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: value, width: Self.count)
        return bytes
    }

    /// 16 lower-case hexadecimal digits, in the order of the wire, as a push notification names a message.
    public var description: String { Hex.encode(bytes) }
}
