public import SecureMemory

/// HKDF-SHA-256 (RFC 5869).
public enum HKDFSHA256 {
    /// Derives a key from another secret.
    /// - Parameters:
    ///   - secret: the input keying material, any length.
    ///   - salt: any length; an empty one is the same as 32 zero bytes (RFC 5869, section 2.2).
    ///   - info: names the use of the key; any length.
    ///   - count: length of the key in bytes, 1 to 8160.
    public static func deriveKey(
        from secret: Span<UInt8>, salt: Span<UInt8>, info: Span<UInt8>, count: Int
    ) -> SecureBytes {
        precondition((1...255 * SHA256.count).contains(count))
        let extracted = HMACSHA256.derive(secret, key: salt)
        var key = SecureBuffer(capacity: count)
        var block = SecureBytes(count: 0) { _ in }
        for number in 1...(count + SHA256.count - 1) / SHA256.count {
            var input = SecureBuffer(capacity: block.count + info.count + 1)
            input.append(block)
            input.append(info)
            input.append(UInt8(number))
            let message = input.finish()
            block = extracted.withBytes { extracted in
                message.withBytes { HMACSHA256.derive($0, key: extracted) }
            }
            let missing = count - key.count
            block.withBytes { key.append($0.extracting(first: min($0.count, missing))) }
        }
        return key.finish()
    }
}
