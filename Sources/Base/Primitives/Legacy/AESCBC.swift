internal import COpenSSL
public import SecureMemory

extension Legacy {
    /// AES in CBC mode (NIST SP 800-38A), on OpenSSL, without padding. It does not authenticate.
    public enum AESCBC {
        /// Length of a block in bytes. What is encrypted is a multiple of it.
        public static let blockCount = AESSchedule.blockCount
        /// Length of the initialization vector in bytes.
        public static let ivCount = 16

        /// - Parameters:
        ///   - plaintext: a multiple of 16 bytes.
        ///   - key: 16, 24 or 32 bytes.
        ///   - iv: 16 bytes.
        /// - Returns: as many bytes as `plaintext`.
        public static func encrypt(_ plaintext: Span<UInt8>, key: borrowing SecureBytes, iv: [UInt8]) -> [UInt8] {
            precondition(iv.count == ivCount)
            let schedule = AESSchedule(key, isForEncryption: true)
            var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
            var output = ciphertext.mutableSpan
            unsafe schedule.apply(to: plaintext, into: &output, iv: iv.span) { input, output, count, key, iv in
                unsafe AES_cbc_encrypt(input, output, count, key, iv, AES_ENCRYPT)
            }
            return ciphertext
        }

        /// - Parameters:
        ///   - ciphertext: a multiple of 16 bytes.
        ///   - key: 16, 24 or 32 bytes.
        ///   - iv: 16 bytes.
        /// - Returns: as many bytes as `ciphertext`. Another key, and changed bytes, give other bytes.
        public static func decrypt(_ ciphertext: Span<UInt8>, key: borrowing SecureBytes, iv: [UInt8]) -> SecureBytes {
            precondition(iv.count == ivCount)
            let schedule = AESSchedule(key, isForEncryption: false)
            return SecureBytes(count: ciphertext.count) { output in
                unsafe schedule.apply(to: ciphertext, into: &output, iv: iv.span) { input, output, count, key, iv in
                    unsafe AES_cbc_encrypt(input, output, count, key, iv, AES_DECRYPT)
                }
            }
        }
    }
}
