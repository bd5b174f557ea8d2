internal import Encodings
internal import Primitives

/// A public key as it is on the wire: 33 bytes, of which the first is the type 05, and 32 are a point of X25519.
public struct PublicKey33: Hashable, Sendable {
    /// Length in bytes.
    public static let count = 1 + X25519.count
    /// The only type that there is.
    public static let type: UInt8 = 5
    /// Length as Base64, which never has padding: 33 bytes are a multiple of 3.
    public static let textCount = Base64.encodedCount(count)

    /// Type and point, 33 bytes.
    public let bytes: [UInt8]

    /// - Parameter bytes: 33 bytes, of which the first is 05.
    /// - Returns: nil for all else; for a point of low order, which is nobody's key; and for one with the highest bit,
    ///   which X25519 ignores: it would be another name of the same key, and no program makes it.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.count, bytes[0] == Self.type, bytes[Self.count - 1] < 0x80,
            !X25519.isLowOrder(Array(bytes[1...]))
        else { return nil }
        self.bytes = bytes
    }

    /// - Parameter point: 32 bytes.
    /// - Returns: nil for another length, and for a point of low order.
    public init?(point: [UInt8]) { self.init([Self.type] + point) }

    /// Reads Base64, with line breaks and blanks. 43 or 45 characters are a wrong key, not an unpadded one.
    /// - Returns: nil for all else.
    public init?(text: String) {
        guard text.utf8.count <= 2 * Self.textCount, let bytes = LenientBase64.decodePublic(text) else { return nil }
        self.init(bytes)
    }

    /// The public key of a private one.
    /// - Parameter privateKey: 32 bytes.
    init(of privateKey: Span<UInt8>) { bytes = [Self.type] + X25519.publicKey(of: privateKey) }

    /// The point without the type, 32 bytes.
    public var point: [UInt8] { Array(bytes[1...]) }

    /// Base64, 44 characters.
    public var text: String { Base64.encodeUnpadded(bytes.span) }

    /// What people compare, as the clients of that time showed it: the 33 bytes in hexadecimal, `05 f1 f9 …`.
    public var fingerprint: String { bytes.map { Hex.encode([$0]) }.joined(separator: " ") }
}
