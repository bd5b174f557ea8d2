internal import CSodium
public import SecureMemory

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

    /// Multiplies a point by a scalar: the secret that both sides share.
    /// - Parameters:
    ///   - privateKey: 32 bytes of one side, unclamped.
    ///   - publicKey: 32 bytes of the other side.
    /// - Returns: 32 bytes, which are not uniformly distributed: derive a key from them.
    /// - Throws: `.weakPublicKey` if the result is zero, as it is for a point of low order.
    public static func sharedSecret(
        privateKey: Span<UInt8>, publicKey: Span<UInt8>, life: SecretLife = .long
    ) throws(SharedKeyError) -> SecureBytes {
        precondition(privateKey.count == count && publicKey.count == count)
        defer { SpentStack.wipe() }
        return try SecureBytes(count: count, life: life) { (shared) throws(SharedKeyError) in
            let result = unsafe shared.withUnsafeMutableBufferPointer { shared in
                unsafe publicKey.withUnsafeBufferPointer { publicKey in
                    unsafe privateKey.withUnsafeBufferPointer { privateKey in
                        unsafe crypto_scalarmult(shared.baseAddress!, privateKey.baseAddress!, publicKey.baseAddress!)
                    }
                }
            }
            guard result == 0 else { throw .weakPublicKey }
        }
    }

    /// Whether a public key is a point of low order. With such a key, the shared secret is zero for every private key
    /// (RFC 7748, section 6.1), so no private key has it.
    /// - Parameter publicKey: 32 bytes. The highest bit is ignored, as in a multiplication.
    public static func isLowOrder(_ publicKey: [UInt8]) -> Bool {
        precondition(publicKey.count == count)
        var point = publicKey
        point[count - 1] &= 0x7f
        return lowOrderPoints.contains(point)
    }

    /// Orders 4, 1, 8 and 8; then p - 1 (order 2), p and p + 1, which are another encoding of 0 and 1.
    private static let lowOrderPoints: [[UInt8]] = [
        [UInt8](repeating: 0, count: count),
        [1] + [UInt8](repeating: 0, count: count - 1),
        [
            0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f, 0xc4, 0x6a,
            0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00,
        ],
        [
            0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1, 0x55, 0x9c, 0x83, 0xef, 0x5b,
            0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c, 0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd, 0xd0, 0x9f, 0x11, 0x57,
        ],
        [0xec] + [UInt8](repeating: 0xff, count: count - 2) + [0x7f],
        [0xed] + [UInt8](repeating: 0xff, count: count - 2) + [0x7f],
        [0xee] + [UInt8](repeating: 0xff, count: count - 2) + [0x7f],
    ]
}
