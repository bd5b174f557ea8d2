public import SecureMemory

/// The 32-byte key under which a keystore's records are sealed.
public struct MasterKey: ~Copyable, Sendable {
    /// Length in bytes.
    public static let count = 32

    /// The 32 bytes.
    public let bytes: SecureBytes

    /// - Parameter bytes: 32 bytes.
    public init(_ bytes: consuming SecureBytes) {
        precondition(bytes.count == Self.count)
        self.bytes = bytes
    }

    /// A new key from the system's random numbers.
    public static func random() -> MasterKey { MasterKey(Random.secret(count)) }

    /// Whether two keys are the same, in constant time.
    public static func == (left: borrowing MasterKey, right: borrowing MasterKey) -> Bool {
        left.bytes.withBytes { left in right.bytes.withBytes { ConstantTime.areEqual(left, $0) } }
    }
}
