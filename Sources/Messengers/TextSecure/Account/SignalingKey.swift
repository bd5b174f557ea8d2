public import Ratchet
public import SecureMemory

// offset  length  meaning
//      0      32  AES-256 key
//     32      20  MAC key

/// The key that protects what the server pushes to the device: 52 bytes, which the client makes at each registration.
public struct SignalingKey: Sendable {
    /// Length in bytes.
    public static let count = encryptionCount + macCount
    /// Length of the AES-256 key.
    public static let encryptionCount = 32
    /// Length of the MAC key. The MAC is HMAC-SHA-256, although the key has SHA-1's length.
    public static let macCount = 20

    /// Both keys, 52 bytes.
    public let held: HeldKey

    /// Makes a key from the system's random numbers.
    public init() { held = HeldKey(Random.secret(Self.count)) }

    /// - Returns: nil for another length than 52 bytes.
    public init?(_ key: consuming SecureBytes) {
        guard key.count == Self.count else { return nil }
        held = HeldKey(key)
    }

    /// The AES-256 key, a copy of 32 bytes.
    public var encryptionKey: SecureBytes { part(0..<Self.encryptionCount) }

    /// The MAC key, a copy of 20 bytes.
    public var macKey: SecureBytes { part(Self.encryptionCount..<Self.count) }

    private func part(_ range: Range<Int>) -> SecureBytes {
        held.bytes.withBytes { SecureBytes(copying: $0.extracting(range)) }
    }
}
