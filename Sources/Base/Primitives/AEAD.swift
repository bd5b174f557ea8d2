internal import SecureMemory

/// Calls libsodium's ChaCha20-Poly1305 constructions, which differ only in the length of the nonce. Sealed bytes are
/// ciphertext ‖ tag (16 bytes).
@safe
struct AEAD {
    typealias Bytes = UnsafePointer<UInt8>
    typealias Output = UnsafeMutablePointer<UInt8>

    static let keyCount = 32
    static let tagCount = 16

    let nonceCount: Int
    /// `crypto_aead_…_encrypt`: output, length, message, additional data, no secret nonce, nonce, key.
    let encrypt: (Output, UnsafeMutablePointer<UInt64>?, Bytes?, UInt64, Bytes?, UInt64, Bytes?, Bytes, Bytes) -> Int32
    /// `crypto_aead_…_decrypt`: output, length, no secret nonce, message, additional data, nonce, key.
    let decrypt: (Output?, UnsafeMutablePointer<UInt64>?, Output?, Bytes, UInt64, Bytes?, UInt64, Bytes, Bytes) -> Int32

    func seal(
        _ plaintext: Span<UInt8>, nonce: [UInt8], key: borrowing SecureBytes, additionalData: [UInt8]
    ) -> [UInt8] {
        let count = plaintext.count + Self.tagCount
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { sealed, initialized in
            var bytes = unsafe UnsafeMutableBufferPointer(rebasing: sealed[..<count]).mutableSpan
            seal(plaintext, nonce: nonce, key: key, additionalData: additionalData, into: &bytes)
            initialized = count
        }
    }

    /// - Parameter sealed: 16 bytes longer than `plaintext`.
    func seal(
        _ plaintext: Span<UInt8>, nonce: [UInt8], key: borrowing SecureBytes, additionalData: [UInt8],
        into sealed: inout MutableSpan<UInt8>
    ) {
        precondition(nonce.count == nonceCount && key.count == Self.keyCount)
        precondition(sealed.count == plaintext.count + Self.tagCount)
        defer { SpentStack.wipe() }
        _ = unsafe sealed.withUnsafeMutableBufferPointer { sealed in
            unsafe plaintext.withUnsafeBufferPointer { plaintext in
                key.withBytes { key in
                    unsafe key.withUnsafeBufferPointer { key in
                        unsafe encrypt(
                            sealed.baseAddress!, nil, plaintext.baseAddress, UInt64(plaintext.count), additionalData,
                            UInt64(additionalData.count), nil, nonce, key.baseAddress!)
                    }
                }
            }
        }
    }

    func open(
        _ sealed: Span<UInt8>, nonce: [UInt8], key: borrowing SecureBytes, additionalData: [UInt8],
        life: SecretLife = .long
    ) throws(AuthenticationError) -> SecureBytes {
        guard sealed.count >= Self.tagCount else { throw .notAuthentic }
        let count = sealed.count - Self.tagCount
        return try SecureBytes(count: count, life: life) { (plaintext) throws(AuthenticationError) in
            try open(sealed, nonce: nonce, key: key, additionalData: additionalData, into: &plaintext)
        }
    }

    /// - Parameter plaintext: 16 bytes shorter than `sealed`. It stays unchanged or is zero if the tag is wrong.
    func open(
        _ sealed: Span<UInt8>, nonce: [UInt8], key: borrowing SecureBytes, additionalData: [UInt8],
        into plaintext: inout MutableSpan<UInt8>
    ) throws(AuthenticationError) {
        precondition(nonce.count == nonceCount && key.count == Self.keyCount)
        precondition(sealed.count == plaintext.count + Self.tagCount)
        defer { SpentStack.wipe() }
        let result = unsafe plaintext.withUnsafeMutableBufferPointer { plaintext in
            unsafe sealed.withUnsafeBufferPointer { sealed in
                key.withBytes { key in
                    unsafe key.withUnsafeBufferPointer { key in
                        unsafe decrypt(
                            plaintext.baseAddress, nil, nil, sealed.baseAddress!, UInt64(sealed.count),
                            additionalData, UInt64(additionalData.count), nonce, key.baseAddress!)
                    }
                }
            }
        }
        guard result == 0 else { throw .notAuthentic }
    }
}
