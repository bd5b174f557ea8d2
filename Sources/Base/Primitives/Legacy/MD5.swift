internal import COpenSSL
public import SecureMemory

extension Legacy {
    /// MD5 (RFC 1321), on OpenSSL. It is broken as a hash: collisions take seconds.
    public enum MD5 {
        /// Length of a digest in bytes.
        public static let count = 16

        /// - Returns: 16 bytes.
        public static func hash(_ message: Span<UInt8>) -> [UInt8] {
            var digest = [UInt8](repeating: 0, count: count)
            var bytes = digest.mutableSpan
            hash(message, into: &bytes)
            return digest
        }

        /// The digest as a part of a key, in guarded memory.
        /// - Returns: 16 bytes.
        public static func derive(_ message: Span<UInt8>) -> SecureBytes {
            SecureBytes(count: count) { hash(message, into: &$0) }
        }

        private static func hash(_ message: Span<UInt8>, into digest: inout MutableSpan<UInt8>) {
            precondition(digest.count == count)
            defer { SpentStack.wipe() }
            var context = MD5_CTX()
            _ = unsafe MD5_Init(&context)
            unsafe message.withUnsafeBufferPointer { bytes in
                _ = unsafe MD5_Update(&context, bytes.baseAddress, bytes.count)
            }
            unsafe digest.withUnsafeMutableBufferPointer { bytes in
                _ = unsafe MD5_Final(bytes.baseAddress, &context)
            }
            unsafe OPENSSL_cleanse(&context, MemoryLayout<MD5_CTX>.size)
        }
    }
}
