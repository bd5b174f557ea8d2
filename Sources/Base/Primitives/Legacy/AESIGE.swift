internal import COpenSSL
public import SecureMemory

extension Legacy {
    /// AES in the mode of infinite garble extension (IGE), on OpenSSL. It does not authenticate.
    ///
    ///     cᵢ = E(pᵢ ⊕ cᵢ₋₁) ⊕ pᵢ₋₁
    ///     pᵢ = D(cᵢ ⊕ pᵢ₋₁) ⊕ cᵢ₋₁
    public enum AESIGE {
        /// Length of a block in bytes. What is encrypted is a multiple of it.
        public static let blockCount = AESSchedule.blockCount
        /// Length of the initialization vector in bytes: c₋₁ (16), then p₋₁ (16).
        public static let ivCount = 32

        /// - Parameters:
        ///   - plaintext: a multiple of 16 bytes.
        ///   - key: 16, 24 or 32 bytes.
        ///   - iv: 32 bytes.
        /// - Returns: as many bytes as `plaintext`.
        public static func encrypt(
            _ plaintext: Span<UInt8>, key: borrowing SecureBytes, iv: borrowing SecureBytes
        ) -> [UInt8] {
            precondition(iv.count == ivCount)
            let schedule = AESSchedule(key, isForEncryption: true)
            var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
            var output = ciphertext.mutableSpan
            iv.withBytes { iv in
                unsafe schedule.apply(to: plaintext, into: &output, iv: iv) { input, output, count, key, iv in
                    unsafe AES_ige_encrypt(input, output, count, key, iv, AES_ENCRYPT)
                }
            }
            return ciphertext
        }

        /// - Parameters:
        ///   - ciphertext: a multiple of 16 bytes.
        ///   - key: 16, 24 or 32 bytes.
        ///   - iv: 32 bytes.
        /// - Returns: as many bytes as `ciphertext`. Another key, and changed bytes, give other bytes.
        public static func decrypt(
            _ ciphertext: Span<UInt8>, key: borrowing SecureBytes, iv: borrowing SecureBytes
        ) -> SecureBytes {
            precondition(iv.count == ivCount)
            let schedule = AESSchedule(key, isForEncryption: false)
            return iv.withBytes { iv in
                SecureBytes(count: ciphertext.count) { output in
                    unsafe schedule.apply(to: ciphertext, into: &output, iv: iv) { input, output, count, key, iv in
                        unsafe AES_ige_encrypt(input, output, count, key, iv, AES_DECRYPT)
                    }
                }
            }
        }
    }
}
