internal import COpenSSL
public import SecureMemory

extension PBKDF2 {
    /// PBKDF2 with HMAC-SHA-512 (RFC 8018, section 5.2).
    /// - Parameters:
    ///   - password: any length; taken as bytes.
    ///   - iterations: at least 1.
    ///   - count: length of the key in bytes.
    public static func deriveKeySHA512(
        password: Span<UInt8>, salt: [UInt8], iterations: Int, count: Int
    ) -> SecureBytes {
        var rounds = PBKDF2Rounds<SHA512State>(password)
        defer { rounds.wipe() }
        return rounds.deriveKey(salt: salt, iterations: iterations, count: count)
    }
}

extension Legacy {
    /// PBKDF2 with HMAC-SHA-1 (RFC 6070).
    public enum PBKDF2SHA1 {
        /// - Parameters:
        ///   - password: any length; taken as bytes.
        ///   - iterations: at least 1.
        ///   - count: length of the key in bytes.
        public static func deriveKey(
            password: Span<UInt8>, salt: [UInt8], iterations: Int, count: Int
        ) -> SecureBytes {
            var rounds = PBKDF2Rounds<SHA1State>(password)
            defer { rounds.wipe() }
            return rounds.deriveKey(salt: salt, iterations: iterations, count: count)
        }
    }
}

/// PBKDF2 over any hash function. `PBKDF2.deriveKey` has SHA-256 at twice the speed. Call `wipe` at the end.
struct PBKDF2Rounds<Hash: HashState> {
    // HMAC's states after the padded password.
    private var inner: Hash
    private var outer: Hash

    init(_ password: Span<UInt8>) {
        // A password longer than a block is replaced by its hash; a shorter one is padded with zeros.
        let block = SecureBytes(count: Hash.blockCount) { block in
            if password.count > Hash.blockCount {
                var state = Hash()
                state.update(password)
                state.finish(into: &block)
            } else {
                for index in password.indices { block[index] = password[index] }
            }
        }
        inner = Self.state(block, paddedWith: 0x36)
        outer = Self.state(block, paddedWith: 0x5c)
    }

    private static func state(_ block: borrowing SecureBytes, paddedWith byte: UInt8) -> Hash {
        let padded = block.withBytes { block in
            SecureBytes(count: block.count) { padded in
                for index in block.indices { padded[index] = block[index] ^ byte }
            }
        }
        var state = Hash()
        padded.withBytes { state.update($0) }
        return state
    }

    mutating func wipe() {
        inner.wipe()
        outer.wipe()
    }

    func deriveKey(salt: [UInt8], iterations: Int, count: Int) -> SecureBytes {
        precondition(iterations > 0 && count > 0)
        defer { SpentStack.wipe() }
        return SecureBytes(count: count) { key in
            unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * Hash.count) { memory in
                let last = unsafe UnsafeMutableBufferPointer(rebasing: memory[..<Hash.count])
                let sum = unsafe UnsafeMutableBufferPointer(rebasing: memory[Hash.count...])
                for (index, start) in stride(from: 0, to: count, by: Hash.count).enumerated() {
                    let number = (0..<4).map { UInt8(truncatingIfNeeded: UInt32(index + 1) >> UInt32(24 - 8 * $0)) }
                    let first = salt + number
                    unsafe authenticate(first.span, into: last)
                    _ = unsafe sum.update(fromContentsOf: last)
                    for _ in 1..<iterations {
                        unsafe authenticate(last.span, into: last)
                        for byte in 0..<Hash.count { unsafe sum[byte] ^= last[byte] }
                    }
                    for offset in start..<min(start + Hash.count, count) { unsafe key[offset] = sum[offset - start] }
                }
                unsafe OPENSSL_cleanse(memory.baseAddress, memory.count)
            }
        }
    }

    /// HMAC of `message`, which may be `tag`.
    private func authenticate(_ message: Span<UInt8>, into tag: UnsafeMutableBufferPointer<UInt8>) {
        var state = inner
        state.update(message)
        var bytes = unsafe tag.mutableSpan
        state.finish(into: &bytes)
        state = outer
        unsafe state.update(tag.span)
        bytes = unsafe tag.mutableSpan
        state.finish(into: &bytes)
    }
}
