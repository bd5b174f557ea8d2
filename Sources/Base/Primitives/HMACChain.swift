public import SecureMemory

extension HMACSHA256 {
    /// Walks a chain of keys: each step derives a key to use and the next chain key from the same chain key, as the
    /// HMACs of one byte each (The Double Ratchet Algorithm, section 5.2). Guarded memory is allocated once, which
    /// takes ten times as long as a step.
    /// - Parameters:
    ///   - chainKey: 32 bytes.
    ///   - steps: 0 or more.
    ///   - output: the byte for the key to use.
    ///   - next: the byte for the next chain key.
    /// - Returns: the keys to use, 32 bytes each, then the chain key after the last step, 32 bytes.
    public static func walkChain(
        _ chainKey: borrowing SecureBytes, steps: Int, output: UInt8, next: UInt8
    ) -> SecureBytes {
        precondition(chainKey.count == SHA256.count && steps >= 0)
        defer { SpentStack.wipe() }
        let last = steps * SHA256.count
        return SecureBytes(count: last + SHA256.count) { keys in
            chainKey.withBytes { keys.copy($0, to: last) }
            for step in 0..<steps {
                var states = HMACStates(key: keys.span.extracting(last..<last + SHA256.count))
                let used = step * SHA256.count
                keys.withPart(used..<used + SHA256.count) { states.authenticate([output], into: &$0) }
                keys.withPart(last..<last + SHA256.count) { states.authenticate([next], into: &$0) }
                states.wipe()
            }
        }
    }
}

extension HMACStates {
    /// Writes the HMAC of a message, which is no secret, over `tag`, 32 bytes. The states stay as they are.
    func authenticate(_ message: [UInt8], into tag: inout MutableSpan<UInt8>) {
        var states = self
        states.inner.update(message.span)
        states.join()
        states.outer.finish(into: &tag)
    }
}
