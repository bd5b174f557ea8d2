public import SecureMemory

/// The API secret of a Gateway ID: who has it sends from the ID and spends its credits. It is also the key of the MACs of
/// incoming messages. It does not depend on the private key, and can be renewed at the Gateway.
public struct GatewaySecret: ~Copyable, Sendable {
    /// Longest secret, in bytes. The Gateway's own are much shorter; none of its programs has a limit.
    public static let maxCount = 160

    /// Visible ASCII, 1 to `maxCount` bytes.
    public let bytes: SecureBytes

    /// - Returns: nil for another length, and for blanks, control characters and what is not ASCII: a blank at its end
    ///   would make other MACs, and nobody would see it.
    public init?(_ bytes: consuming SecureBytes) {
        let isUsable = bytes.withBytes { bytes in
            guard (1...Self.maxCount).contains(bytes.count) else { return false }
            var isVisible = ~UInt32(0)
            for index in bytes.indices {
                isVisible &= ConstantTime.mask(UInt32(bytes[index]), from: 0x21, through: 0x7e)
            }
            // Whether it is accepted is public.
            return ConstantTime.reveal(isVisible)
        }
        guard isUsable else { return nil }
        self.bytes = bytes
    }

    /// Whether both are the same, in constant time.
    public func isSame(as other: borrowing GatewaySecret) -> Bool {
        bytes.withBytes { left in other.bytes.withBytes { ConstantTime.areEqual(left, $0) } }
    }
}
