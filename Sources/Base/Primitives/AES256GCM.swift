internal import CSodium
internal import COpenSSL
public import SecureMemory

/// AES-256-GCM (NIST SP 800-38D): the ciphertext, then a 16-byte tag, with additional data. A value holds the expanded
/// key, so that many small messages do not expand it again.
///
/// libsodium has it for processors with AES instructions only. On others OpenSSL's low-level form is used, which is
/// slower, and whose table look-ups may leave traces in the processor's cache.
public struct AES256GCM: ~Copyable, Sendable {
    /// Length of a key in bytes.
    public static let keyCount = 32
    /// Length of a nonce in bytes.
    public static let nonceCount = 12
    /// Length of the tag in bytes.
    public static let tagCount = 16

    /// Which library expanded the key.
    package enum Library: Sendable { case sodium, openSSL }

    /// libsodium if this processor has AES instructions.
    package static var bestLibrary: Library {
        Sodium.start()
        return crypto_aead_aes256gcm_is_available() == 1 ? .sodium : .openSSL
    }

    private let library: Library
    private let schedule: SecureBytes

    /// Expands a key.
    /// - Parameter key: 32 bytes.
    public init(key: borrowing SecureBytes) { self.init(key: key, library: Self.bestLibrary) }

    package init(key: borrowing SecureBytes, library: Library) {
        precondition(key.count == Self.keyCount)
        self.library = library
        defer { SpentStack.wipe() }
        switch library {
        case .sodium: schedule = Self.sodiumSchedule(key)
        case .openSSL: schedule = Self.openSSLSchedule(key)
        }
    }

    /// - Parameters:
    ///   - nonce: 12 bytes, never used twice with one key.
    ///   - additionalData: authenticated, not encrypted, not part of the result.
    /// - Returns: ciphertext ‖ tag, 16 bytes longer than `plaintext`.
    public borrowing func seal(_ plaintext: Span<UInt8>, nonce: [UInt8], additionalData: [UInt8]) -> [UInt8] {
        precondition(nonce.count == Self.nonceCount)
        defer { SpentStack.wipe() }
        let sealedCount = plaintext.count + Self.tagCount
        return unsafe [UInt8](unsafeUninitializedCapacity: sealedCount) { bytes, used in
            let sealed = bytes.baseAddress!
            unsafe plaintext.withUnsafeBufferPointer { plaintext in
                schedule.withBytes { schedule in
                    unsafe schedule.withUnsafeBytes { schedule in
                        switch library {
                        case .sodium:
                            _ = unsafe crypto_aead_aes256gcm_encrypt_afternm(
                                sealed, nil, plaintext.baseAddress, UInt64(plaintext.count), additionalData,
                                UInt64(additionalData.count), nil, nonce, Self.sodiumState(schedule))
                        case .openSSL:
                            let context = unsafe Self.openSSLContext(schedule, nonce, additionalData)
                            defer { unsafe CRYPTO_gcm128_release(context) }
                            if let source = plaintext.baseAddress {
                                _ = unsafe CRYPTO_gcm128_encrypt(context, source, sealed, plaintext.count)
                            }
                            unsafe CRYPTO_gcm128_tag(context, sealed + plaintext.count, Self.tagCount)
                        }
                    }
                }
            }
            used = sealedCount
        }
    }

    /// Decrypts and authenticates.
    /// - Returns: the plaintext, 16 bytes shorter than `sealed`.
    /// - Throws: `.notAuthentic` if key, nonce, additional data or ciphertext differ from those of `seal`.
    public borrowing func open(
        _ sealed: Span<UInt8>, nonce: [UInt8], additionalData: [UInt8]
    ) throws(AuthenticationError) -> SecureBytes {
        guard sealed.count >= Self.tagCount else { throw .notAuthentic }
        return try SecureBytes(count: sealed.count - Self.tagCount) { (plaintext) throws(AuthenticationError) in
            try open(sealed, nonce: nonce, additionalData: additionalData, into: &plaintext)
        }
    }

    /// - Parameter plaintext: 16 bytes shorter than `sealed`. It is wiped if the tag is wrong.
    private borrowing func open(
        _ sealed: Span<UInt8>, nonce: [UInt8], additionalData: [UInt8], into plaintext: inout MutableSpan<UInt8>
    ) throws(AuthenticationError) {
        precondition(nonce.count == Self.nonceCount)
        defer { SpentStack.wipe() }
        let isAuthentic = unsafe plaintext.withUnsafeMutableBufferPointer { plaintext in
            unsafe sealed.withUnsafeBufferPointer { sealed in
                schedule.withBytes { schedule in
                    unsafe schedule.withUnsafeBytes { schedule in
                        switch library {
                        case .sodium:
                            return unsafe crypto_aead_aes256gcm_decrypt_afternm(
                                plaintext.baseAddress, nil, nil, sealed.baseAddress!, UInt64(sealed.count),
                                additionalData, UInt64(additionalData.count), nonce, Self.sodiumState(schedule)) == 0
                        case .openSSL:
                            let context = unsafe Self.openSSLContext(schedule, nonce, additionalData)
                            defer { unsafe CRYPTO_gcm128_release(context) }
                            if let output = plaintext.baseAddress {
                                _ = unsafe CRYPTO_gcm128_decrypt(
                                    context, sealed.baseAddress!, output, plaintext.count)
                            }
                            let tag = unsafe sealed.baseAddress! + plaintext.count
                            guard unsafe CRYPTO_gcm128_finish(context, tag, Self.tagCount) == 0 else {
                                if let output = plaintext.baseAddress {
                                    unsafe OPENSSL_cleanse(output, plaintext.count)
                                }
                                return false
                            }
                            return true
                        }
                    }
                }
            }
        }
        guard isAuthentic else { throw .notAuthentic }
    }
}

extension AES256GCM {
    private static func sodiumSchedule(_ key: borrowing SecureBytes) -> SecureBytes {
        // Its length is a multiple of 16, so guarded memory, which ends with a page, aligns it for libsodium.
        SecureBytes(count: crypto_aead_aes256gcm_statebytes()) { state in
            unsafe state.withUnsafeMutableBytes { state in
                let state = unsafe state.baseAddress!.assumingMemoryBound(to: crypto_aead_aes256gcm_state.self)
                key.withBytes { key in
                    _ = unsafe key.withUnsafeBufferPointer {
                        unsafe crypto_aead_aes256gcm_beforenm(state, $0.baseAddress!)
                    }
                }
            }
        }
    }

    private static func openSSLSchedule(_ key: borrowing SecureBytes) -> SecureBytes {
        SecureBytes(count: MemoryLayout<AES_KEY>.size) { schedule in
            unsafe schedule.withUnsafeMutableBytes { schedule in
                let schedule = unsafe schedule.baseAddress!.assumingMemoryBound(to: AES_KEY.self)
                key.withBytes { key in
                    _ = unsafe key.withUnsafeBufferPointer {
                        unsafe AES_set_encrypt_key($0.baseAddress!, Int32(8 * keyCount), schedule)
                    }
                }
            }
        }
    }

    private static func sodiumState(
        _ schedule: UnsafeRawBufferPointer
    ) -> UnsafePointer<crypto_aead_aes256gcm_state> {
        unsafe schedule.baseAddress!.assumingMemoryBound(to: crypto_aead_aes256gcm_state.self)
    }

    /// A context after nonce and additional data. The caller releases it, which wipes it.
    private static func openSSLContext(
        _ schedule: UnsafeRawBufferPointer, _ nonce: [UInt8], _ additionalData: [UInt8]
    ) -> OpaquePointer {
        let key = unsafe UnsafeMutableRawPointer(mutating: schedule.baseAddress!)
        let context = unsafe CRYPTO_gcm128_new(key) { input, output, key in
            unsafe AES_encrypt(input, output, key!.assumingMemoryBound(to: AES_KEY.self))
        }
        guard let context = unsafe context else { MemoryShortage.end(512) }
        unsafe CRYPTO_gcm128_setiv(context, nonce, nonce.count)
        _ = unsafe CRYPTO_gcm128_aad(context, additionalData, additionalData.count)
        return unsafe context
    }
}
