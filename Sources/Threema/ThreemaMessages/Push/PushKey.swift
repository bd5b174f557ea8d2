public import SecureMemory

/// The key with which the chat server seals push notifications, so that the platform's service cannot read who writes
/// to whom: 32 random bytes that a client draws once and tells the server by its `PushToken`.
public struct PushKey: ~Copyable, Sendable {
    /// Length in bytes.
    public static let count = 32

    /// The 32 bytes.
    public let bytes: SecureBytes

    /// - Parameter bytes: 32 bytes.
    public init(_ bytes: consuming SecureBytes) {
        precondition(bytes.count == Self.count)
        self.bytes = bytes
    }

    /// A key from the system's random numbers.
    public static func random() -> PushKey { PushKey(Random.secret(count)) }
}
