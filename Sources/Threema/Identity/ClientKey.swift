internal import Primitives
public import SecureMemory

/// The private key of an identity: 32 bytes, stored unclamped (X25519 clamps when it multiplies).
public struct ClientKey: ~Copyable, Sendable {
    /// Length in bytes.
    public static let count = 32

    public let bytes: SecureBytes

    /// - Parameter bytes: 32 bytes.
    public init(_ bytes: consuming SecureBytes) {
        precondition(bytes.count == Self.count)
        self.bytes = bytes
    }

    /// A new key from the system's random numbers.
    public static func random() -> ClientKey { ClientKey(Random.secret(count)) }

    public var publicKey: PublicKey { bytes.withBytes { PublicKey(X25519.publicKey(of: $0)) } }
}
