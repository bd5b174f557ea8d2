internal import CSodium

/// Work on secrets in which no branch and no address depends on them: only lengths, and what is revealed.
///
/// Characters of a secret are computed by *masks*: all ones for true, zero for false. A mask becomes a branch by
/// `reveal` only, whose callers say why the answer is public. `Scripts/test-constant-time` refuses every other branch.
public enum ConstantTime {
    /// Whether both spans hold the same bytes. Their lengths are not secret, and the answer is not.
    public static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        guard left.count > 0 else { return true }
        let difference = unsafe left.withUnsafeBufferPointer { left in
            unsafe right.withUnsafeBufferPointer { right in
                unsafe sodium_memcmp(left.baseAddress!, right.baseAddress!, left.count)
            }
        }
        return !reveal(UInt32(bitPattern: difference))
    }

    /// Whether all bytes are zero. Their number is not secret, and the answer is not.
    package static func isZero(_ bytes: Span<UInt8>) -> Bool {
        var all: UInt32 = 0
        for index in bytes.indices { all |= UInt32(bytes[index]) }
        return !reveal(all)
    }

    // MARK: Masks

    /// Whether two values are equal.
    @inlinable
    package static func mask(_ value: UInt32, equals other: UInt32) -> UInt32 {
        let difference = value ^ other
        return ((difference | (0 &- difference)) >> 31) &- 1
    }

    /// Whether a value is in a range; all are below 2^31.
    @inlinable
    package static func mask(_ value: UInt32, from low: UInt32, through high: UInt32) -> UInt32 {
        ((value &- low) >> 31 | (high &- value) >> 31) &- 1
    }

    /// The element at a secret index, found by a look at each.
    @inlinable
    package static func element(_ index: UInt32, of table: Span<UInt8>) -> UInt8 {
        var found: UInt32 = 0
        for place in table.indices {
            found |= mask(UInt32(truncatingIfNeeded: place), equals: index) & UInt32(table[place])
        }
        return UInt8(truncatingIfNeeded: found)
    }

    // MARK: What becomes public

    /// Turns a mask, or any other number, into a branch.
    ///
    /// Without optimization, so that the branch is here and not where the answer is used: this is the one function that
    /// `Scripts/test-constant-time` lets decide by a secret.
    /// - Returns: false for zero.
    @inline(never) @_optimize(none)
    package static func reveal(_ mask: UInt32) -> Bool {
        if mask != 0 { return true }
        return false
    }

    /// A length or a position that becomes public. This takes as long as it is large.
    package static func reveal(count: UInt32) -> Int {
        var known: UInt32 = 0
        while reveal(count ^ known) { known += 1 }
        return Int(known)
    }
}
