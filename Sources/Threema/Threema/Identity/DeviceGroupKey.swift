public import SecureMemory

/// The key that the devices of one identity share: 32 bytes. An app puts it into the Safe backups by which another
/// device is linked; whoever has it reads and forges what these devices tell each other.
public struct DeviceGroupKey: ~Copyable, Sendable {
    /// Length in bytes.
    public static let count = 32

    /// The 32 bytes.
    public let bytes: SecureBytes

    /// - Parameter bytes: 32 bytes.
    public init(_ bytes: consuming SecureBytes) {
        precondition(bytes.count == Self.count)
        self.bytes = bytes
    }

    /// Whether two keys are the same, in constant time.
    public static func == (left: borrowing DeviceGroupKey, right: borrowing DeviceGroupKey) -> Bool {
        left.bytes.withBytes { left in right.bytes.withBytes { ConstantTime.areEqual(left, $0) } }
    }
}
