internal import CSodium
public import SecureMemory

/// ChaCha20-Poly1305 (IETF, RFC 8439): the ciphertext, then a 16-byte tag, with additional data.
public enum ChaChaPoly {
    /// Length of a key in bytes.
    public static let keyCount = 32
    /// Length of a nonce in bytes.
    public static let nonceCount = 12
    /// Length of the tag in bytes.
    public static let tagCount = 16

    /// - Parameters:
    ///   - nonce: 12 bytes, never used twice with one key.
    ///   - key: 32 bytes.
    ///   - additionalData: authenticated, not encrypted, not part of the result.
    /// - Returns: ciphertext ‖ tag, 16 bytes longer than `plaintext`.
    public static func seal(
        _ plaintext: Span<UInt8>, nonce: [UInt8], key: borrowing SecureBytes, additionalData: [UInt8]
    ) -> [UInt8] {
        precondition(nonce.count == nonceCount && key.count == keyCount)
        return key.withBytes { key in
            unsafe [UInt8](unsafeUninitializedCapacity: plaintext.count + tagCount) { sealed, initialized in
                _ = unsafe plaintext.withUnsafeBufferPointer { plaintext in
                    unsafe key.withUnsafeBufferPointer { key in
                        unsafe crypto_aead_chacha20poly1305_ietf_encrypt(
                            sealed.baseAddress!, nil, plaintext.baseAddress, UInt64(plaintext.count),
                            additionalData, UInt64(additionalData.count), nil, nonce, key.baseAddress!)
                    }
                }
                initialized = plaintext.count + tagCount
            }
        }
    }

    /// - Throws: `.notAuthentic` where key, nonce, additional data or ciphertext are not those of one `seal`.
    public static func open(
        _ sealed: Span<UInt8>, nonce: [UInt8], key: borrowing SecureBytes, additionalData: [UInt8]
    ) throws(AuthenticationError) -> SecureBytes {
        precondition(nonce.count == nonceCount && key.count == keyCount)
        guard sealed.count >= tagCount else { throw .notAuthentic }
        return try key.withBytes { (key) throws(AuthenticationError) in
            try SecureBytes(count: sealed.count - tagCount) { (plaintext) throws(AuthenticationError) in
                let result = unsafe plaintext.withUnsafeMutableBufferPointer { plaintext in
                    unsafe sealed.withUnsafeBufferPointer { sealed in
                        unsafe key.withUnsafeBufferPointer { key in
                            unsafe crypto_aead_chacha20poly1305_ietf_decrypt(
                                plaintext.baseAddress, nil, nil, sealed.baseAddress!, UInt64(sealed.count),
                                additionalData, UInt64(additionalData.count), nonce, key.baseAddress!)
                        }
                    }
                }
                guard result == 0 else { throw .notAuthentic }
            }
        }
    }
}
