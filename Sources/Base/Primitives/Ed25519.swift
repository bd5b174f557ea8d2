internal import CSodium
import SecureMemory

/// Ed25519 (RFC 8032, section 5.1).
public enum Ed25519 {
    /// Length of a seed, which is the private key, and of a public key in bytes.
    public static let keyCount = 32
    /// Length of a signature in bytes.
    public static let signatureCount = 64
    /// libsodium's private key: the seed, then the public key.
    private static let pairCount = 64

    /// Computes the public key.
    /// - Parameter seed: 32 bytes, any value.
    /// - Returns: 32 bytes.
    public static func publicKey(of seed: Span<UInt8>) -> [UInt8] {
        let pair = pair(seed)
        return pair.withBytes { $0.extracting(keyCount..<pairCount).revealBytes() }
    }

    /// Signs a message. The same message and seed make the same signature.
    /// - Parameter seed: 32 bytes.
    /// - Returns: 64 bytes.
    public static func sign(_ message: Span<UInt8>, seed: Span<UInt8>) -> [UInt8] {
        let pair = pair(seed)
        defer { SpentStack.wipe() }
        return unsafe [UInt8](unsafeUninitializedCapacity: signatureCount) { signature, initialized in
            pair.withBytes { pair in
                // This cannot fail.
                _ = unsafe pair.withUnsafeBufferPointer { pair in
                    unsafe message.withUnsafeBufferPointer { message in
                        unsafe crypto_sign_detached(
                            signature.baseAddress!, nil, message.baseAddress, UInt64(message.count), pair.baseAddress!)
                    }
                }
            }
            initialized = signatureCount
        }
    }

    /// Whether a signature is valid. Any input is allowed: a signature or key of another length is not valid, and
    /// neither is one that libsodium refuses: a key of low order, a signature that is not reduced.
    public static func isValid(_ signature: [UInt8], of message: Span<UInt8>, publicKey: [UInt8]) -> Bool {
        guard signature.count == signatureCount, publicKey.count == keyCount else { return false }
        Sodium.start()
        return unsafe message.withUnsafeBufferPointer { message in
            unsafe crypto_sign_verify_detached(signature, message.baseAddress, UInt64(message.count), publicKey) == 0
        }
    }

    private static func pair(_ seed: Span<UInt8>) -> SecureBytes {
        precondition(seed.count == keyCount)
        defer { SpentStack.wipe() }
        Sodium.start()
        return SecureBytes(count: pairCount) { pair in
            var publicKey = [UInt8](repeating: 0, count: keyCount)
            // This cannot fail.
            _ = unsafe pair.withUnsafeMutableBufferPointer { pair in
                unsafe seed.withUnsafeBufferPointer { seed in
                    unsafe crypto_sign_seed_keypair(&publicKey, pair.baseAddress!, seed.baseAddress!)
                }
            }
        }
    }
}
