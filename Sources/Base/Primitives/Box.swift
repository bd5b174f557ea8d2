internal import CSodium
public import SecureMemory

/// NaCl's `crypto_box` with a precomputed shared key: X25519, HSalsa20, then `SecretBox`.
public enum Box {
    /// Length of private and public keys in bytes.
    public static let keyCount = 32
    /// Length of a nonce in bytes.
    public static let nonceCount = SecretBox.nonceCount
    /// Length of the tag in bytes.
    public static let tagCount = SecretBox.tagCount

    /// Computes the key that both sides share, NaCl's `crypto_box_beforenm`: HSalsa20 of X25519 and sixteen zero bytes.
    /// - Parameters:
    ///   - privateKey: 32 bytes of one side, unclamped.
    ///   - publicKey: 32 bytes of the other side.
    /// - Returns: 32 bytes.
    /// - Throws: `.weakPublicKey` for a point of small order: it would give the same key with every private key.
    public static func sharedKey(
        privateKey: Span<UInt8>, publicKey: Span<UInt8>
    ) throws(SharedKeyError) -> SecureBytes {
        precondition(privateKey.count == keyCount && publicKey.count == keyCount)
        defer { SpentStack.wipe() }
        return try SecureBytes(count: keyCount) { (shared) throws(SharedKeyError) in
            let result = unsafe shared.withUnsafeMutableBufferPointer { shared in
                unsafe publicKey.withUnsafeBufferPointer { publicKey in
                    unsafe privateKey.withUnsafeBufferPointer { privateKey in
                        unsafe crypto_box_beforenm(
                            shared.baseAddress!, publicKey.baseAddress!, privateKey.baseAddress!)
                    }
                }
            }
            guard result == 0 else { throw .weakPublicKey }
        }
    }

    /// - Parameters:
    ///   - nonce: 24 bytes, never used twice with one shared key, in either direction.
    ///   - sharedKey: 32 bytes, as `sharedKey(privateKey:publicKey:)` returns them.
    /// - Returns: tag ‖ ciphertext, 16 bytes longer than `plaintext`.
    public static func seal(_ plaintext: Span<UInt8>, nonce: [UInt8], sharedKey: borrowing SecureBytes) -> [UInt8] {
        sharedKey.withBytes { SecretBox.seal(plaintext, nonce: nonce, key: $0) }
    }

    /// Seals a plaintext that is not secret where it stands, in ordinary memory.
    /// - Parameters:
    ///   - bytes: prefix ‖ 16 bytes of any value ‖ plaintext. They become prefix ‖ tag ‖ ciphertext.
    ///   - start: length of the prefix in bytes.
    package static func seal(
        _ bytes: inout [UInt8], from start: Int, nonce: [UInt8], sharedKey: borrowing SecureBytes
    ) {
        sharedKey.withBytes { SecretBox.seal(&bytes, from: start, nonce: nonce, key: $0) }
    }

    /// Decrypts and authenticates.
    /// - Throws: `.notAuthentic` if key, nonce or box differ from those of `seal`.
    public static func open(
        _ box: Span<UInt8>, nonce: [UInt8], sharedKey: borrowing SecureBytes
    ) throws(AuthenticationError) -> SecureBytes {
        try sharedKey.withBytes { (key) throws(AuthenticationError) in
            try SecretBox.open(box, nonce: nonce, key: key)
        }
    }

    /// Decrypts and authenticates where the box stands, in ordinary memory. The caller wipes a secret plaintext.
    /// - Parameters:
    ///   - bytes: have tag ‖ ciphertext at `box`. They then have the plaintext from 16 bytes behind its start on.
    /// - Throws: `.notAuthentic`. The bytes are as before then.
    package static func open(
        _ bytes: inout [UInt8], at box: Range<Int>, nonce: [UInt8], sharedKey: borrowing SecureBytes
    ) throws(AuthenticationError) {
        try sharedKey.withBytes { (key) throws(AuthenticationError) in
            try SecretBox.open(&bytes, at: box, nonce: nonce, key: key)
        }
    }

    /// Decrypts and authenticates a plaintext that is not secret, into ordinary memory.
    /// - Throws: `.notAuthentic` if key, nonce or box differ from those of `seal`.
    package static func openPublic(
        _ box: Span<UInt8>, nonce: [UInt8], sharedKey: borrowing SecureBytes
    ) throws(AuthenticationError) -> [UInt8] {
        try sharedKey.withBytes { (key) throws(AuthenticationError) in
            try SecretBox.openPublic(box, nonce: nonce, key: key)
        }
    }
}

/// Why a shared key was not computed.
public enum SharedKeyError: Error, Equatable, Sendable {
    case weakPublicKey
}
