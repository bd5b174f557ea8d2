internal import COpenSSL
public import SecureMemory

extension Legacy {
    /// AES in counter mode (NIST SP 800-38A), on OpenSSL. It does not authenticate: a changed bit of the ciphertext
    /// changes the same bit of the plaintext.
    ///
    /// The initialization vector is the first counter block. It is counted as one number of 128 bits, big-endian, and
    /// wraps to zero.
    public enum AESCTR {
        /// Length of the initialization vector in bytes.
        public static let ivCount = AESSchedule.blockCount

        /// - Parameters:
        ///   - plaintext: any length.
        ///   - key: 16, 24 or 32 bytes.
        ///   - iv: 16 bytes, never used twice with one key.
        /// - Returns: as many bytes as `plaintext`.
        public static func encrypt(_ plaintext: Span<UInt8>, key: borrowing SecureBytes, iv: Span<UInt8>) -> [UInt8] {
            var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
            var output = ciphertext.mutableSpan
            apply(to: plaintext, into: &output, key: key, iv: iv)
            return ciphertext
        }

        /// - Parameters:
        ///   - ciphertext: any length.
        ///   - key: 16, 24 or 32 bytes.
        ///   - iv: 16 bytes.
        /// - Returns: as many bytes as `ciphertext`. Another key, and changed bytes, give other bytes.
        public static func decrypt(
            _ ciphertext: Span<UInt8>, key: borrowing SecureBytes, iv: Span<UInt8>
        ) -> SecureBytes {
            SecureBytes(count: ciphertext.count) { output in apply(to: ciphertext, into: &output, key: key, iv: iv) }
        }

        private static func apply(
            to input: Span<UInt8>, into output: inout MutableSpan<UInt8>, key: borrowing SecureBytes, iv: Span<UInt8>
        ) {
            precondition(iv.count == ivCount)
            let schedule = AESSchedule(key, isForEncryption: true)
            unsafe schedule.applyStream(to: input, into: &output, iv: iv) { input, output, count, key, iv in
                unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: AESSchedule.blockCount) { keystream in
                    var used: UInt32 = 0
                    unsafe CRYPTO_ctr128_encrypt(
                        input, output, count, key, iv, keystream.baseAddress!, &used
                    ) { input, output, key in
                        unsafe AES_encrypt(input, output, key!.assumingMemoryBound(to: AES_KEY.self))
                    }
                    unsafe OPENSSL_cleanse(keystream.baseAddress, keystream.count)
                }
            }
        }
    }
}
