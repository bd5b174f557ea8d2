internal import COpenSSL
public import SecureMemory

/// PBKDF2 with HMAC-SHA-256 (RFC 8018, section 5.2).
///
/// The rounds call SHA-256's compression function directly: each message is one digest long, so inner and outer hash
/// are one compression each, from states that depend on the password only. OpenSSL's own PBKDF2 goes through its
/// provider interface and takes 2.7 times as long.
public enum PBKDF2 {
    /// - Parameters:
    ///   - password: any length; taken as bytes.
    ///   - iterations: at least 1.
    ///   - count: length of the key in bytes.
    public static func deriveKey(
        password: Span<UInt8>, salt: [UInt8], iterations: Int, count: Int
    ) -> SecureBytes {
        deriveKey(password: password, salt: salt.span, iterations: iterations, count: count)
    }

    /// The same with a salt that may be secret.
    public static func deriveKey(
        password: Span<UInt8>, salt: Span<UInt8>, iterations: Int, count: Int
    ) -> SecureBytes {
        precondition(iterations > 0 && count > 0)
        var states = HMACStates(key: password)
        defer { states.wipe() }
        return SecureBytes(count: count) { key in
            unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 2 * blockWords + digestWords) { memory in
                for (index, start) in stride(from: 0, to: count, by: SHA256.count).enumerated() {
                    unsafe deriveBlock(UInt32(index + 1), salt: salt, iterations: iterations, states, memory)
                    let block = unsafe UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: memory.suffix(digestWords)))
                    for offset in start..<min(start + SHA256.count, count) {
                        unsafe key[offset] = block[offset - start]
                    }
                }
                unsafe OPENSSL_cleanse(memory.baseAddress, memory.count * MemoryLayout<UInt32>.size)
            }
        }
    }

    private static let blockWords = 16
    private static let digestWords = 8

    /// Computes T_index into the last eight words of `memory`, big endian.
    private static func deriveBlock(
        _ index: UInt32, salt: Span<UInt8>, iterations: Int, _ states: HMACStates,
        _ memory: UnsafeMutableBufferPointer<UInt32>
    ) {
        let innerBlock = memory.baseAddress!
        let outerBlock = unsafe innerBlock + blockWords
        let sum = unsafe outerBlock + blockWords
        // Both blocks: 8 words of digest, then SHA-256's padding for a message of 64 + 32 bytes.
        for start in [0, blockWords] {
            let block = unsafe innerBlock + start
            unsafe block.update(repeating: 0, count: blockWords)
            unsafe block[8] = UInt32(0x8000_0000).bigEndian
            unsafe block[15] = UInt32((SHA256State.blockCount + SHA256.count) * 8).bigEndian
        }
        var first = states.inner
        first.update(salt)
        let number = (0..<4).map { UInt8(truncatingIfNeeded: index >> UInt32(24 - 8 * $0)) }
        first.update(number.span)
        let digest = SecureBytes(count: SHA256.count) { digest in first.finish(into: &digest) }
        digest.withBytes { digest in
            unsafe digest.withUnsafeBytes { bytes in
                unsafe UnsafeMutableRawPointer(outerBlock).copyMemory(from: bytes.baseAddress!, byteCount: SHA256.count)
            }
        }

        var inner = states.inner
        var outer = states.outer
        defer {
            inner.wipe()
            outer.wipe()
        }
        for round in 1...iterations {
            if round > 1 {
                inner = states.inner
                unsafe store(inner.compress(innerBlock), to: outerBlock)
            }
            outer = states.outer
            unsafe store(outer.compress(outerBlock), to: innerBlock)
            for word in 0..<digestWords {
                unsafe sum[word] = round == 1 ? innerBlock[word] : sum[word] ^ innerBlock[word]
            }
        }
    }

    private static func store(_ words: SHA256State.Words, to block: UnsafeMutablePointer<UInt32>) {
        unsafe block[0] = words.0.bigEndian
        unsafe block[1] = words.1.bigEndian
        unsafe block[2] = words.2.bigEndian
        unsafe block[3] = words.3.bigEndian
        unsafe block[4] = words.4.bigEndian
        unsafe block[5] = words.5.bigEndian
        unsafe block[6] = words.6.bigEndian
        unsafe block[7] = words.7.bigEndian
    }
}
