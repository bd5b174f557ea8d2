public import SecureMemory

/// HKDF-SHA-256 (RFC 5869).
public enum HKDFSHA256 {
    /// Derives a key from another secret.
    /// - Parameters:
    ///   - secret: the input keying material, any length.
    ///   - salt: any length; an empty one is the same as 32 zero bytes (RFC 5869, section 2.2).
    ///   - info: names the use of the key; any length.
    ///   - count: length of the key in bytes, 1 to 8160.
    ///   - firstBlock: the number of the first output block: 1 (RFC 5869, section 2.3), or 0 for protocols that are
    ///     older than their authors' tests against the RFC. Then the keys are others, and not weaker.
    public static func deriveKey(
        from secret: Span<UInt8>, salt: Span<UInt8>, info: Span<UInt8>, count: Int, firstBlock: UInt8 = 1,
        life: SecretLife = .long
    ) -> SecureBytes {
        precondition((1...255 * SHA256.count).contains(count) && firstBlock <= 1)
        defer { SpentStack.wipe() }
        // Extract (RFC 5869, section 2.2).
        var states = HMACStates(keyFrom: secret, key: salt)
        defer { states.wipe() }
        // Whole blocks; what is beyond `count` is wiped with them.
        let blockCount = (count + SHA256.count - 1) / SHA256.count
        let blocks = SecureBytes(count: blockCount * SHA256.count, life: life) { blocks in
            for index in 0..<blockCount {
                let start = index * SHA256.count
                var block = states
                block.inner.update(blocks.span.extracting(max(0, start - SHA256.count)..<start))
                block.inner.update(info)
                let number = [firstBlock + UInt8(index)]
                block.inner.update(number.span)
                block.join()
                blocks.withPart(start..<start + SHA256.count) { block.outer.finish(into: &$0) }
            }
        }
        guard blocks.count > count else { return blocks }
        return blocks.withBytes { SecureBytes(copying: $0.extracting(first: count), life: life) }
    }
}
