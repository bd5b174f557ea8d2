public import SecureMemory

/// The key that the devices of an identity share: 32 bytes. It decrypts and forges their messages to each other. An app
/// stores it in a Safe backup in order to link another device.
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
