internal import CSodium
public import SecureMemory

/// XChaCha20-Poly1305 (IETF): the ciphertext, then a 16-byte tag, with additional data.
public enum XChaChaPoly {
    /// Length of a key in bytes.
    public static let keyCount = 32
    /// Length of a nonce in bytes.
    public static let nonceCount = 24
    /// Length of the tag in bytes.
    public static let tagCount = 16

    private static var construction: AEAD {
        unsafe AEAD(
            nonceCount: nonceCount, encrypt: crypto_aead_xchacha20poly1305_ietf_encrypt,
            decrypt: crypto_aead_xchacha20poly1305_ietf_decrypt)
    }

    /// - Parameters:
    ///   - nonce: 24 bytes, never used twice with one key. It may be random.
    ///   - key: 32 bytes.
    ///   - additionalData: authenticated, not encrypted, not part of the result.
    /// - Returns: ciphertext ‖ tag, 16 bytes longer than `plaintext`.
    public static func seal(
        _ plaintext: Span<UInt8>, nonce: [UInt8], key: borrowing SecureBytes, additionalData: [UInt8]
    ) -> [UInt8] {
        construction.seal(plaintext, nonce: nonce, key: key, additionalData: additionalData)
    }

    /// Decrypts and authenticates.
    /// - Returns: the plaintext, 16 bytes shorter than `sealed`.
    /// - Throws: `.notAuthentic` if key, nonce, additional data or ciphertext differ from those of `seal`.
    public static func open(
        _ sealed: Span<UInt8>, nonce: [UInt8], key: borrowing SecureBytes, additionalData: [UInt8]
    ) throws(AuthenticationError) -> SecureBytes {
        try construction.open(sealed, nonce: nonce, key: key, additionalData: additionalData)
    }
}
