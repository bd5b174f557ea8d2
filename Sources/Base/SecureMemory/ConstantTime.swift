internal import CSodium

/// Compares byte strings in a time that depends on their length only.
public enum ConstantTime {
    /// Whether both spans hold the same bytes. Their lengths are not secret.
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
