internal import CSodium

/// Comparison whose duration tells nothing about where two byte strings differ.
public enum ConstantTime {
    /// Whether both hold the same bytes. Lengths are not secret.
    public static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        guard left.count > 0 else { return true }
        return unsafe left.withUnsafeBufferPointer { left in
            unsafe right.withUnsafeBufferPointer { right in
                unsafe sodium_memcmp(left.baseAddress!, right.baseAddress!, left.count) == 0
            }
        }
    }
}
