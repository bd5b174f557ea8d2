internal import COpenSSL

/// The state of an unfinished SHA-512, on OpenSSL, which is faster than libsodium. It is as secret as the message: call
/// `finish` or `wipe`.
@safe
struct SHA512State: HashState {
    static let blockCount = 128
    static let count = SHA512.count

    private var context = SHA512_CTX()

    init() { _ = unsafe SHA512_Init(&context) }

    mutating func update(_ message: Span<UInt8>) {
        unsafe message.withUnsafeBufferPointer { bytes in
            _ = unsafe SHA512_Update(&context, bytes.baseAddress, bytes.count)
        }
    }

    mutating func finish(into digest: inout MutableSpan<UInt8>) {
        precondition(digest.count >= Self.count)
        unsafe digest.withUnsafeMutableBufferPointer { bytes in
            _ = unsafe SHA512_Final(bytes.baseAddress, &context)
        }
        wipe()
    }

    mutating func wipe() { unsafe OPENSSL_cleanse(&context, MemoryLayout<SHA512_CTX>.size) }
}
