internal import Encodings

/// The public key of an identity: 32 bytes.
public struct PublicKey: Equatable, Sendable {
    /// Length in bytes.
    public static let count = 32

    /// The 32 bytes.
    public let bytes: [UInt8]

    /// - Parameter bytes: 32 bytes.
    public init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.count)
        self.bytes = bytes
    }

    /// 64 lower-case hexadecimal characters.
    public var hex: String { Hex.encode(bytes) }

    /// Eight lines of eight characters, as the apps show a key.
    public var lines: [String] {
        stride(from: 0, to: Self.count, by: 4).map { Hex.encode(Array(bytes[$0..<$0 + 4])) }
    }
}
