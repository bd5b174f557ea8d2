internal import COpenSSL
internal import Primitives
public import SecureMemory
internal import Synchronization

/// AES-256-GCM (NIST SP 800-38D) with the key of frames (PCMFK), which is expanded once for all frames.
///
/// By OpenSSL's EVP, because libsodium takes 1.4 to 1.7 times as long. EVP keeps the expanded key in ordinary memory of
/// its own, and wipes it when the value ends. `MediaKey`, from which the key is derived, stays in guarded memory.
public struct FrameCipher: ~Copyable, Sendable {
    /// Length of a key in bytes.
    public static let keyCount = 32

    static let nonceCount = 12
    static let tagCount = 16

    // Each frame writes its nonce and its state into it.
    private let context: Mutex<Context>

    /// Expands a key. The first key of a process loads OpenSSL's providers.
    /// - Parameter key: 32 bytes.
    public init(key: borrowing SecureBytes) {
        precondition(key.count == Self.keyCount)
        defer { SpentStack.wipe() }
        guard let new = unsafe EVP_CIPHER_CTX_new() else { MemoryShortage.end(Self.contextBytes) }
        let isExpanded = key.withBytes { key in
            unsafe key.withUnsafeBufferPointer {
                unsafe EVP_CipherInit_ex(new, EVP_aes_256_gcm(), nil, $0.baseAddress, nil, 1) == 1
            }
        }
        guard isExpanded else { MemoryShortage.end(Self.contextBytes) }
        context = unsafe Mutex(Context(pointer: new))
    }

    deinit { context.withLock { unsafe EVP_CIPHER_CTX_free($0.pointer) } }

    /// What a context takes, about.
    private static let contextBytes = 1024

    /// Seals a plaintext between clear bytes, in one allocation.
    /// - Parameters:
    ///   - nonce: 12 bytes, never used twice with one key.
    ///   - additionalData: authenticated, not encrypted, not part of the result.
    /// - Returns: prefix ‖ ciphertext ‖ tag ‖ suffix.
    borrowing func seal(
        _ plaintext: Span<UInt8>, nonce: [UInt8], additionalData: [UInt8], between prefix: Span<UInt8>,
        and suffix: Span<UInt8>
    ) -> [UInt8] {
        let sealedEnd = prefix.count + plaintext.count + Self.tagCount
        return unsafe [UInt8](unsafeUninitializedCapacity: sealedEnd + suffix.count) { bytes, used in
            for index in prefix.indices { unsafe bytes[index] = prefix[index] }
            for index in suffix.indices { unsafe bytes[sealedEnd + index] = suffix[index] }
            let ciphertext = unsafe bytes.baseAddress! + prefix.count
            let tag = unsafe ciphertext + plaintext.count
            let isSealed = unsafe transform(plaintext, .seal, nonce, additionalData, to: ciphertext) { context in
                var none: Int32 = 0
                return unsafe EVP_CipherFinal_ex(context, tag, &none) == 1
                    && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagCount), tag) == 1
            }
            precondition(isSealed)
            used = sealedEnd + suffix.count
        }
    }

    /// Opens what `seal` has made of a plaintext, and puts it behind `prefix`, into ordinary memory.
    /// - Parameter sealed: ciphertext ‖ tag, at least 16 bytes.
    /// - Throws: `.notAuthentic` if key, nonce, additional data or ciphertext differ from those of `seal`.
    borrowing func open(
        _ sealed: Span<UInt8>, nonce: [UInt8], additionalData: [UInt8], after prefix: Span<UInt8>
    ) throws(AuthenticationError) -> [UInt8] {
        let count = sealed.count - Self.tagCount
        let ciphertext = sealed.extracting(first: count)
        var isAuthentic = false
        let opened = unsafe [UInt8](unsafeUninitializedCapacity: prefix.count + count) { bytes, used in
            for index in prefix.indices { unsafe bytes[index] = prefix[index] }
            let plaintext = unsafe bytes.baseAddress! + prefix.count
            isAuthentic = unsafe transform(ciphertext, .open, nonce, additionalData, to: plaintext) { context in
                var none: Int32 = 0
                return unsafe sealed.extracting(last: Self.tagCount).withUnsafeBytes { tag in
                    let tag = unsafe UnsafeMutableRawPointer(mutating: tag.baseAddress!)
                    return unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagCount), tag) == 1
                        && EVP_CipherFinal_ex(context, plaintext + count, &none) == 1
                }
            }
            if isAuthentic { used = prefix.count + count } else { unsafe OPENSSL_cleanse(plaintext, count) }
        }
        guard isAuthentic else { throw .notAuthentic }
        return opened
    }

    /// OpenSSL's `EVP_CIPHER_CTX`. It is not private, because Swift 6.3's compiler crashes then.
    @safe struct Context: @unchecked Sendable { let pointer: OpaquePointer }

    private enum Direction: Int32 { case open, seal }

    /// Encrypts or decrypts a text.
    /// - Parameters:
    ///   - output: as long as `text`.
    ///   - finish: asks for the tag, or tests it.
    /// - Returns: what `finish` returns.
    private borrowing func transform(
        _ text: Span<UInt8>, _ direction: Direction, _ nonce: [UInt8], _ additionalData: [UInt8],
        to output: UnsafeMutablePointer<UInt8>, finish: (OpaquePointer) -> Bool
    ) -> Bool {
        precondition(nonce.count == Self.nonceCount)
        defer { SpentStack.wipe(.shallow) }
        return unsafe text.withUnsafeBufferPointer { text in
            context.withLock { context in
                let context = unsafe context.pointer
                var count: Int32 = 0
                let isDone =
                    unsafe EVP_CipherInit_ex(context, nil, nil, nil, nonce, direction.rawValue) == 1
                    && EVP_CipherUpdate(context, nil, &count, additionalData, Int32(additionalData.count)) == 1
                    // Without a text, there is no address.
                    && (text.isEmpty
                        || EVP_CipherUpdate(context, output, &count, text.baseAddress, Int32(text.count)) == 1)
                precondition(isDone)
                return unsafe finish(context)
            }
        }
    }
}
