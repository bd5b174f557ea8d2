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

    private static var construction: AEAD {
        unsafe AEAD(
            nonceCount: nonceCount, encrypt: crypto_aead_chacha20poly1305_ietf_encrypt,
            decrypt: crypto_aead_chacha20poly1305_ietf_decrypt)
    }

    /// - Parameters:
    ///   - nonce: 12 bytes, never used twice with one key.
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
        _ sealed: Span<UInt8>, nonce: [UInt8], key: borrowing SecureBytes, additionalData: [UInt8],
        life: SecretLife = .long
    ) throws(AuthenticationError) -> SecureBytes {
        try construction.open(sealed, nonce: nonce, key: key, additionalData: additionalData, life: life)
    }

    /// Seals as `seal` does, into memory of the caller.
    /// - Parameter sealed: 16 bytes longer than `plaintext`.
    package static func seal(
        _ plaintext: Span<UInt8>, nonce: [UInt8], key: borrowing SecureBytes, additionalData: [UInt8],
        into sealed: inout MutableSpan<UInt8>
    ) {
        construction.seal(plaintext, nonce: nonce, key: key, additionalData: additionalData, into: &sealed)
    }

    /// Opens as `open` does, into memory of the caller.
    /// - Parameter plaintext: 16 bytes shorter than `sealed`. It has nothing of the plaintext if the tag is wrong.
    package static func open(
        _ sealed: Span<UInt8>, nonce: [UInt8], key: borrowing SecureBytes, additionalData: [UInt8],
        into plaintext: inout MutableSpan<UInt8>
    ) throws(AuthenticationError) {
        try construction.open(sealed, nonce: nonce, key: key, additionalData: additionalData, into: &plaintext)
    }
}
