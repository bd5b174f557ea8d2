public import SecureMemory

/// A key that several values share: the state before a step and the one after it, or a list of keys.
///
/// The class holds the only copy, in guarded memory, and it is wiped when the last value lets go of it.
public final class HeldKey: Sendable {
    /// The key, of the length that it was given with.
    public let bytes: SecureBytes

    /// Takes over a key of any length. Where it is used, its length is checked.
    public init(_ bytes: consuming SecureBytes) { self.bytes = bytes }

    /// Copies a part of other secret bytes.
    convenience init(_ bytes: Span<UInt8>) { self.init(SecureBytes(copying: bytes, life: .brief)) }
}
