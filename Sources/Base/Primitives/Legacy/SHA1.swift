internal import COpenSSL
public import SecureMemory

extension Legacy {
    /// SHA-1 (FIPS 180-4), on OpenSSL. It is broken as a hash: collisions are practical.
    public enum SHA1 {
        /// Length of a digest in bytes.
        public static let count = 20

        /// - Returns: 20 bytes.
        public static func hash(_ message: Span<UInt8>) -> [UInt8] { SHA1State.digest(message) }

        /// The digest as a part of a key, in guarded memory.
        /// - Returns: 20 bytes.
        public static func derive(_ message: Span<UInt8>) -> SecureBytes { SHA1State.secretDigest(message) }
    }
}

/// The state of an unfinished hash. It can be as secret as the message: call `finish` or `wipe`.
@safe
struct SHA1State: HashState {
    static let blockCount = 64
    static let count = Legacy.SHA1.count

    private var context = SHA_CTX()

    init() { _ = unsafe SHA1_Init(&context) }

    mutating func update(_ message: Span<UInt8>) {
        unsafe message.withUnsafeBufferPointer { bytes in
            _ = unsafe SHA1_Update(&context, bytes.baseAddress, bytes.count)
        }
    }

    mutating func finish(into digest: inout MutableSpan<UInt8>) {
        precondition(digest.count >= Self.count)
        unsafe digest.withUnsafeMutableBufferPointer { bytes in
            _ = unsafe SHA1_Final(bytes.baseAddress, &context)
        }
        wipe()
    }

    mutating func wipe() { unsafe OPENSSL_cleanse(&context, MemoryLayout<SHA_CTX>.size) }
}
