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
        guard hex.count == 2 * Self.count else { return nil }
        var isHex = true
        let bytes = SecureBytes(count: Self.count) { bytes in
            for index in 0..<Self.count {
                guard let high = Hex.value(hex[2 * index]), let low = Hex.value(hex[2 * index + 1]) else {
                    isHex = false
                    return
                }
                bytes[index] = high << 4 | low
            }
        }
        guard isHex else { return nil }
        self.init(bytes)
    }

    /// Appends 64 lower-case hexadecimal digits.
    func appendHex(to buffer: inout SecureBuffer) {
        bytes.withBytes { bytes in
            for index in bytes.indices {
                for digit in [bytes[index] >> 4, bytes[index] & 0x0f] {
                    buffer.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
                }
            }
        }
    }

    /// Whether both are the same key, in constant time.
    public static func == (left: EnclosedKey, right: EnclosedKey) -> Bool {
        left.bytes.withBytes { left in right.bytes.withBytes { ConstantTime.areEqual(left, $0) } }
    }

    /// Tells nothing about the key.
    public var description: String { "EnclosedKey" }
}
