public import Ratchet
public import SecureMemory

// offset  length  meaning
//      0      32  AES-256 key
//     32      32  HMAC-SHA-256 key

/// The key of one attachment, 64 bytes. It seals one file and never a second one.
public struct AttachmentKey: Sendable {
    /// Length in bytes.
    public static let count = 64
    private static let encryptionCount = 32

    /// Both keys, 64 bytes.
    public let held: HeldKey

    /// Makes a key from the system's random numbers. Each attachment has its own.
    public init() { held = HeldKey(Random.secret(Self.count)) }

    /// - Returns: nil for another length than 64 bytes.
    public init?(_ key: consuming SecureBytes) {
        guard key.count == Self.count else { return nil }
        held = HeldKey(key)
    }

    /// A copy of 32 bytes.
    var encryptionKey: SecureBytes { part(0..<Self.encryptionCount) }

    /// A copy of 32 bytes.
    var macKey: SecureBytes { part(Self.encryptionCount..<Self.count) }

    private func part(_ range: Range<Int>) -> SecureBytes {
        held.bytes.withBytes { SecureBytes(copying: $0.extracting(range)) }
    }
}
