public import SecureMemory

/// The bytes of a body that this library does not read. Audio messages, and images and videos in groups, carry the key
/// of their file somewhere in it, so such a body is in guarded memory.
///
/// Messages are copied, queued and compared, so this is a reference to the one copy, which is wiped with the last
/// reference. Printing it shows nothing.
public final class EnclosedBytes: Sendable, Equatable, CustomStringConvertible {
    /// The bytes, of any number, to borrow.
    public let bytes: SecureBytes

    /// - Parameter bytes: any number of bytes.
    public init(_ bytes: consuming SecureBytes) { self.bytes = bytes }

    /// Copies bytes into guarded memory. The caller wipes the source.
    public convenience init(copying bytes: Span<UInt8>) { self.init(SecureBytes(copying: bytes)) }

    /// Whether both are the same bytes, in constant time for each length.
    public static func == (left: EnclosedBytes, right: EnclosedBytes) -> Bool {
        left.bytes.withBytes { left in right.bytes.withBytes { ConstantTime.areEqual(left, $0) } }
    }

    /// Tells nothing about the bytes.
    public var description: String { "EnclosedBytes" }
}
