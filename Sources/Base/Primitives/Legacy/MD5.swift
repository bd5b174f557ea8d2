internal import COpenSSL
public import SecureMemory

extension Legacy {
    /// MD5 (RFC 1321), on OpenSSL. It is broken as a hash: collisions take seconds.
    public enum MD5 {
        /// Length of a digest in bytes.
        public static let count = 16

        /// - Returns: 16 bytes.
        public static func hash(_ message: Span<UInt8>) -> [UInt8] { MD5State.digest(message) }

        /// The digest as a part of a key, in guarded memory.
        /// - Returns: 16 bytes.
        public static func derive(_ message: Span<UInt8>) -> SecureBytes { MD5State.secretDigest(message) }
    }
}

/// The state of an unfinished hash. It can be as secret as the message: call `finish` or `wipe`.
@safe
struct MD5State: HashState {
    static let blockCount = 64
    static let count = Legacy.MD5.count

    private var context = MD5_CTX()

    init() { _ = unsafe MD5_Init(&context) }

    mutating func update(_ message: Span<UInt8>) {
        unsafe message.withUnsafeBufferPointer { bytes in
            _ = unsafe MD5_Update(&context, bytes.baseAddress, bytes.count)
        }
    }

    mutating func finish(into digest: inout MutableSpan<UInt8>) {
        precondition(digest.count >= Self.count)
        unsafe digest.withUnsafeMutableBufferPointer { bytes in
            _ = unsafe MD5_Final(bytes.baseAddress, &context)
        }
        wipe()
    }

    mutating func wipe() { unsafe OPENSSL_cleanse(&context, MemoryLayout<MD5_CTX>.size) }
}
