internal import Encodings

/// The name of a MainKey, which tells nothing about the key: 8 bytes.
public struct CheckValue: Hashable, Sendable, CustomStringConvertible {
    /// Length in bytes.
    public static let count = 8

    /// 8 bytes.
    public let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.count)
        self.bytes = bytes
    }

    /// - Parameter text: 16 hexadecimal digits; nil for anything else.
    public init?(_ text: String) {
        guard let bytes = Hex.decode(text), bytes.count == Self.count else { return nil }
        self.init(bytes)
    }

    /// The bytes as 16 hexadecimal digits, in lower case.
    public var description: String { Hex.encode(bytes) }
}
