internal import CSodium
internal import SecureMemory

/// X25519 (RFC 7748).
public enum X25519 {
    /// Length of private and public keys in bytes.
    public static let count = 32

    /// Computes the public key: scalar multiplication with the base point. libsodium clamps the private key.
    /// - Parameter privateKey: 32 bytes, any value.
    /// - Returns: 32 bytes.
    public static func publicKey(of privateKey: Span<UInt8>) -> [UInt8] {
        precondition(privateKey.count == count)
        defer { SpentStack.wipe() }
        Sodium.start()
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { publicKey, initialized in
            // This cannot fail: the base point has prime order, and a clamped scalar is not 0 modulo that.
            _ = unsafe privateKey.withUnsafeBufferPointer { privateKey in
                unsafe crypto_scalarmult_base(publicKey.baseAddress!, privateKey.baseAddress!)
            }
            initialized = count
        }
    }
}
