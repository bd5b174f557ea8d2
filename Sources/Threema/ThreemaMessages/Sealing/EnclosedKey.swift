internal import Encodings
public import SecureMemory

/// A 32-byte key that a message carries to its receivers: of a blob, or of a group call.
///
/// Messages are copied, queued and compared, so this is a reference to the one copy in guarded memory, which is wiped
/// with the last reference. Printing it shows nothing.
public final class EnclosedKey: Sendable, Equatable, CustomStringConvertible {
    /// Length in bytes.
    public static let count = 32

    /// The 32 bytes.
    public let bytes: SecureBytes

    /// - Parameter bytes: 32 bytes.
    public init(_ bytes: consuming SecureBytes) {
        precondition(bytes.count == Self.count)
        self.bytes = bytes
    }

    /// A fresh key. No two files may have the same.
    public static func random() -> EnclosedKey { EnclosedKey(Random.secret(count)) }

    /// - Parameter hex: 64 hexadecimal digits; nil for anything else.
    convenience init?(hex: Span<UInt8>) {
        guard hex.count == 2 * Self.count, let bytes = Hex.decode(hex) else { return nil }
        self.init(bytes)
    }

    /// Appends 64 lower-case hexadecimal digits.
    func appendHex(to buffer: inout SecureBuffer) {
        bytes.withBytes { Hex.encode($0, appendingTo: &buffer) }
    }

    /// Whether both are the same key, in constant time.
    public static func == (left: EnclosedKey, right: EnclosedKey) -> Bool {
        left.bytes.withBytes { left in right.bytes.withBytes { ConstantTime.areEqual(left, $0) } }
    }

    /// Tells nothing about the key.
    public var description: String { "EnclosedKey" }
}
