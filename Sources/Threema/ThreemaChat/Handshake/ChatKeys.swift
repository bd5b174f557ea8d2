internal import SecureMemory
public import ThreemaMessages

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

/// The private key that one side draws for a connection: the client's TCK, the server's TSK. Using it for another
/// connection would end forward secrecy.
public typealias TemporaryKey = SharedSecret<SecretKinds.TemporaryKey>

/// A permanent private key of a chat server (SK). Clients have to know its public key.
public typealias ServerKey = SharedSecret<SecretKinds.ServerKey>

extension SecretKinds {
    /// The kind of the type of this name.
    public enum TemporaryKey: PrivateKeyKind {}
    /// The kind of the type of this name.
    public enum ServerKey: PrivateKeyKind {}
}
