internal import Encodings

/// The 16 bytes by which a media server knows a file.
public struct BlobID: Hashable, Sendable, CustomStringConvertible {
    /// Length in bytes.
    public static let count = 16

    /// The 16 bytes.
    public let bytes: [UInt8]

    /// - Parameter bytes: 16 bytes.
    public init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.count)
        self.bytes = bytes
    }

    /// - Returns: nil unless `hex` is 32 hexadecimal digits.
    public init?(hex: String) {
        guard let bytes = Hex.decode(hex), bytes.count == Self.count else { return nil }
        self.init(bytes)
    }

    /// 32 lower-case hexadecimal digits, as they stand in the server's paths.
    public var description: String { Hex.encode(bytes) }
}
