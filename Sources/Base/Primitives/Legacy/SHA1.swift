internal import COpenSSL
internal import SecureMemory

/// SHA-1 (FIPS 180-4), on OpenSSL: broken as a hash, and here only because an old file format checks itself with it.
public enum SHA1 {
    /// Length of a digest in bytes.
    public static let count = 20

    /// - Returns: 20 bytes.
    public static func hash(_ message: Span<UInt8>) -> [UInt8] {
        defer { SpentStack.wipe() }
        var context = SHA_CTX()
        var digest = [UInt8](repeating: 0, count: count)
        _ = unsafe SHA1_Init(&context)
        unsafe message.withUnsafeBufferPointer { bytes in
            _ = unsafe SHA1_Update(&context, bytes.baseAddress, bytes.count)
        }
        _ = unsafe SHA1_Final(&digest, &context)
        unsafe OPENSSL_cleanse(&context, MemoryLayout<SHA_CTX>.size)
        return digest
    }
}
