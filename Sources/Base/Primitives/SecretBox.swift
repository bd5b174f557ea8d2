internal import CSodium
public import SecureMemory

/// NaCl's `crypto_secretbox`, XSalsa20-Poly1305: a 16-byte tag, then the ciphertext.
public enum SecretBox {
    /// Length of a key in bytes.
    public static let keyCount = 32
    /// Length of a nonce in bytes.
    public static let nonceCount = 24
    /// Length of the tag in bytes.
    public static let tagCount = 16

    /// - Parameters:
    ///   - nonce: 24 bytes, never used twice with one key.
    ///   - key: 32 bytes.
    /// - Returns: tag ‖ ciphertext, 16 bytes longer than `plaintext`.
    public static func seal(_ plaintext: Span<UInt8>, nonce: [UInt8], key: Span<UInt8>) -> [UInt8] {
        seal(plaintext, nonce: nonce, key: key, after: [])
    }

    /// Seals as `seal`, with the nonce in front, in one allocation.
    /// - Returns: nonce ‖ tag ‖ ciphertext, 40 bytes longer than `plaintext`.
    public static func sealWithNonce(_ plaintext: Span<UInt8>, nonce: [UInt8], key: Span<UInt8>) -> [UInt8] {
        seal(plaintext, nonce: nonce, key: key, after: nonce)
    }

    /// Seals as `seal`, after other bytes, in one allocation.
    /// - Returns: prefix ‖ tag ‖ ciphertext.
    static func seal(
        _ plaintext: Span<UInt8>, nonce: [UInt8], key: Span<UInt8>, after prefix: [UInt8]
    ) -> [UInt8] {
        precondition(nonce.count == nonceCount && key.count == keyCount)
        defer { SpentStack.wipe() }
        Sodium.start()
        let count = prefix.count + tagCount + plaintext.count
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { box, initialized in
            _ = unsafe box.initialize(from: prefix)
            _ = unsafe plaintext.withUnsafeBufferPointer { plaintext in
                unsafe key.withUnsafeBufferPointer { key in
                    unsafe crypto_secretbox_easy(
                        box.baseAddress! + prefix.count, plaintext.baseAddress, UInt64(plaintext.count), nonce,
                        key.baseAddress!)
                }
            }
            initialized = count
        }
    }

    /// Seals a plaintext that is not secret where it stands, in ordinary memory.
    /// - Parameters:
    ///   - bytes: prefix ‖ 16 bytes of any value ‖ plaintext. They become prefix ‖ tag ‖ ciphertext.
    ///   - start: length of the prefix in bytes.
    static func seal(_ bytes: inout [UInt8], from start: Int, nonce: [UInt8], key: Span<UInt8>) {
        precondition(nonce.count == nonceCount && key.count == keyCount)
        precondition(start >= 0 && bytes.count - start >= tagCount)
        defer { SpentStack.wipe(.shallow) }
        Sodium.start()
        let count = bytes.count - start - tagCount
        unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            let tag = unsafe bytes.baseAddress! + start
            let plaintext = unsafe tag + tagCount
            _ = unsafe key.withUnsafeBufferPointer { key in
                unsafe crypto_secretbox_detached(plaintext, tag, plaintext, UInt64(count), nonce, key.baseAddress!)
            }
        }
    }

    /// Decrypts and authenticates.
    /// - Parameter box: tag ‖ ciphertext.
    /// - Returns: the plaintext, 16 bytes shorter than `box`.
    /// - Throws: `.notAuthentic` if key, nonce or box differ from those of `seal`.
    public static func open(
        _ box: Span<UInt8>, nonce: [UInt8], key: Span<UInt8>
    ) throws(AuthenticationError) -> SecureBytes {
        guard box.count >= tagCount else { throw .notAuthentic }
        return try SecureBytes(count: box.count - tagCount) { (plaintext) throws(AuthenticationError) in
            try open(box, nonce: nonce, key: key, into: &plaintext)
        }
    }

    /// Decrypts and authenticates a plaintext that is not secret. Unlike guarded memory, this costs no system calls.
    /// - Parameter box: tag ‖ ciphertext.
    /// - Returns: the plaintext in ordinary memory, 16 bytes shorter than `box`.
    /// - Throws: `.notAuthentic` if key, nonce or box differ from those of `seal`.
    package static func openPublic(
        _ box: Span<UInt8>, nonce: [UInt8], key: Span<UInt8>
    ) throws(AuthenticationError) -> [UInt8] {
        guard box.count >= tagCount else { throw .notAuthentic }
        var plaintext = [UInt8](repeating: 0, count: box.count - tagCount)
        var bytes = plaintext.mutableSpan
        try open(box, nonce: nonce, key: key, into: &bytes)
        return plaintext
    }

    /// Decrypts and authenticates where the box stands, in ordinary memory. The caller wipes a secret plaintext.
    /// - Parameters:
    ///   - bytes: have tag ‖ ciphertext at `box`. They then have the plaintext from 16 bytes behind its start on.
    /// - Throws: `.notAuthentic`. The bytes are as before then.
    static func open(
        _ bytes: inout [UInt8], at box: Range<Int>, nonce: [UInt8], key: Span<UInt8>
    ) throws(AuthenticationError) {
        precondition(nonce.count == nonceCount && key.count == keyCount)
        precondition(box.lowerBound >= 0 && box.upperBound <= bytes.count)
        guard box.count >= tagCount else { throw .notAuthentic }
        defer { SpentStack.wipe(.shallow) }
        let result = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            let tag = unsafe bytes.baseAddress! + box.lowerBound
            let text = unsafe tag + tagCount
            return unsafe key.withUnsafeBufferPointer { key in
                unsafe crypto_secretbox_open_detached(
                    text, text, tag, UInt64(box.count - tagCount), nonce, key.baseAddress!)
            }
        }
        guard result == 0 else { throw .notAuthentic }
    }

    /// - Parameter plaintext: 16 bytes shorter than `box`.
    private static func open(
        _ box: Span<UInt8>, nonce: [UInt8], key: Span<UInt8>, into plaintext: inout MutableSpan<UInt8>
    ) throws(AuthenticationError) {
        precondition(nonce.count == nonceCount && key.count == keyCount)
        defer { SpentStack.wipe() }
        let result = unsafe plaintext.withUnsafeMutableBufferPointer { plaintext in
            unsafe box.withUnsafeBufferPointer { box in
                unsafe key.withUnsafeBufferPointer { key in
                    unsafe crypto_secretbox_open_easy(
                        plaintext.baseAddress, box.baseAddress!, UInt64(box.count), nonce, key.baseAddress!)
                }
            }
        }
        guard result == 0 else { throw .notAuthentic }
    }
}

/// Why nothing was decrypted. Wrong keys and changed bytes cannot be told from each other.
public enum AuthenticationError: Error, Equatable, Sendable {
    /// The authentication tag is wrong: the key is another one, or the bytes were changed.
    case notAuthentic
}
