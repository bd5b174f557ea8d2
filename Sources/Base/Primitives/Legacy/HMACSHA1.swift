public import SecureMemory

extension Legacy {
    /// HMAC-SHA-1 (RFC 2104, RFC 2202).
    public enum HMACSHA1 {
        /// - Parameter key: at most 64 bytes.
        /// - Returns: 20 bytes.
        public static func authenticate(_ message: Span<UInt8>, key: borrowing SecureBytes) -> [UInt8] {
            precondition(key.count <= SHA1State.blockCount)
            defer { SpentStack.wipe() }
            var digest = [UInt8](repeating: 0, count: SHA1.count)
            var code = digest.mutableSpan
            var inner = state(key, paddedWith: 0x36)
            inner.update(message)
            inner.finish(into: &code)
            var outer = state(key, paddedWith: 0x5c)
            outer.update(code.span)
            outer.finish(into: &code)
            return digest
        }

        private static func state(_ key: borrowing SecureBytes, paddedWith byte: UInt8) -> SHA1State {
            let padded = key.withBytes { key in
                SecureBytes(count: SHA1State.blockCount) { block in
                    for index in block.indices { block[index] = (index < key.count ? key[index] : 0) ^ byte }
                }
            }
            var state = SHA1State()
            padded.withBytes { state.update($0) }
            return state
        }
    }
}
