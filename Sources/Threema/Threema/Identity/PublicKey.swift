public import Encodings
internal import Primitives
internal import SecureMemory

/// The public key of an identity: 32 bytes, and not a point of low order.
public struct PublicKey: Equatable, Sendable {
    /// Length in bytes.
    public static let count = 32

    /// The 32 bytes.
    public let bytes: [UInt8]

    /// - Returns: nil for another length, and for a point of low order, for example 32 zeros: anybody could read what is
    ///   encrypted for it.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.count, !X25519.isLowOrder(bytes) else { return nil }
        self.bytes = bytes
    }

    /// A private key never has a public key of low order, because it is clamped.
    init(of clientKey: borrowing ClientKey) {
        bytes = clientKey.bytes.withBytes { X25519.publicKey(of: $0) }
    }

    /// 64 lower-case hexadecimal characters.
    public var hex: String { Hex.encode(bytes) }

    /// `XXXX-XXXX`: Base32 of the first 40 bits of SHA-256 over the key. It reveals a typing error, and proves nothing
    /// against somebody who looks for another key with the same word.
    public var checkWord: GroupedCode { GroupedCode(encoding: Array(SHA256.hash(bytes.span).prefix(5)).span) }

    /// Eight lines of eight characters, as the apps show a key.
    public var lines: [String] {
        stride(from: 0, to: Self.count, by: 4).map { Hex.encode(Array(bytes[$0..<$0 + 4])) }
    }
}
