internal import Primitives
public import SecureMemory
public import Threema

/// 16 random bytes that one side draws for a connection. The nonces of its boxes begin with them.
public struct ChatCookie: Hashable, Sendable {
    /// Length in bytes.
    public static let count = 16

    /// The 16 bytes.
    public let bytes: [UInt8]

    /// - Parameter bytes: 16 bytes.
    public init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.count)
        self.bytes = bytes
    }

    /// A cookie from the system's random numbers. Each connection needs a new one.
    public static func random() -> ChatCookie { ChatCookie(Random.bytes(count)) }
}

/// The private key that one side draws for a connection: the client's TCK, the server's TSK. It is a reference to the
/// one copy in guarded memory. Using it for another connection would end forward secrecy.
public final class TemporaryKey: Sendable {
    /// Length in bytes.
    public static let count = X25519.count

    /// The 32 bytes of the private key.
    public let bytes: SecureBytes
    /// The public key, 32 bytes, which the other side gets.
    public let publicKey: PublicKey

    /// - Parameter bytes: 32 bytes.
    public init(_ bytes: consuming SecureBytes) {
        precondition(bytes.count == Self.count)
        // Not nil: a clamped private key has no public key of low order.
        publicKey = PublicKey(bytes.withBytes { X25519.publicKey(of: $0) })!
        self.bytes = bytes
    }

    /// A key from the system's random numbers. Each connection needs a new one.
    public static func random() -> TemporaryKey { TemporaryKey(Random.secret(count)) }
}

/// A permanent private key of a chat server (SK). Connections share a reference to the one copy in guarded memory.
public final class ServerKey: Sendable {
    /// Length in bytes.
    public static let count = X25519.count

    /// The 32 bytes of the private key.
    public let bytes: SecureBytes
    /// Its public key, which clients know.
    public let publicKey: PublicKey

    /// - Parameter bytes: 32 bytes.
    public init(_ bytes: consuming SecureBytes) {
        precondition(bytes.count == Self.count)
        // Not nil: a clamped private key has no public key of low order.
        publicKey = PublicKey(bytes.withBytes { X25519.publicKey(of: $0) })!
        self.bytes = bytes
    }

    /// A key from the system's random numbers. Clients have to know its public key.
    public static func random() -> ServerKey { ServerKey(Random.secret(count)) }
}
