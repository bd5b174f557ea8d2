internal import CSodium
package import SecureMemory

/// The XSalsa20 stream cipher, NaCl's `crypto_stream`. It does not authenticate, and its keystream begins at block 0.
package enum XSalsa20 {
    /// Length of a key in bytes.
    package static let keyCount = 32
    /// Length of a nonce in bytes.
    package static let nonceCount = 24

    /// Encrypts or decrypts, by XOR with the keystream.
    /// - Parameters:
    ///   - nonce: 24 bytes, never used twice with one key.
    ///   - key: 32 bytes.
    /// - Returns: as many bytes as `message`.
    package static func apply(to message: Span<UInt8>, nonce: [UInt8], key: borrowing SecureBytes) -> SecureBytes {
        precondition(nonce.count == nonceCount && key.count == keyCount)
        defer { SpentStack.wipe() }
        return key.withBytes { key in
            SecureBytes(count: message.count) { output in
                unsafe output.withUnsafeMutableBufferPointer { output in
                    unsafe message.withUnsafeBufferPointer { message in
                        unsafe key.withUnsafeBufferPointer { key in
                            guard let out = output.baseAddress, let bytes = message.baseAddress else { return }
                            _ = unsafe crypto_stream_xor(out, bytes, UInt64(message.count), nonce, key.baseAddress!)
                        }
                    }
                }
            }
        }
    }
}
