internal import Primitives
internal import SecureMemory

/// AES-CBC with the padding of PKCS #7: 1 to 16 bytes, each of which is their number. It does not authenticate: check
/// the MAC before you open.
enum PaddedCBC {
    static let blockCount = Legacy.AESCBC.blockCount

    /// - Returns: 1 to 16 bytes more than `plaintext`.
    static func seal(_ plaintext: Span<UInt8>, key: borrowing SecureBytes, iv: [UInt8]) -> [UInt8] {
        let padding = blockCount - plaintext.count % blockCount
        var padded = SecureBuffer(capacity: plaintext.count + padding)
        padded.append(plaintext)
        for _ in 0..<padding { padded.append(UInt8(padding)) }
        let whole = padded.finish()
        return whole.withBytes { Legacy.AESCBC.encrypt($0, key: key, iv: iv) }
    }

    /// - Throws: `.notAuthentic` for a length that is 0 or not a multiple of 16, and for wrong padding.
    static func open(
        _ ciphertext: Span<UInt8>, key: borrowing SecureBytes, iv: [UInt8]
    ) throws(AuthenticationError) -> SecureBytes {
        guard ciphertext.count >= blockCount, ciphertext.count.isMultiple(of: blockCount) else { throw .notAuthentic }
        let padded = Legacy.AESCBC.decrypt(ciphertext, key: key, iv: iv)
        return try padded.withBytes { (padded) throws(AuthenticationError) in
            let padding = Int(padded[padded.count - 1])
            guard (1...blockCount).contains(padding) else { throw .notAuthentic }
            for index in padded.count - padding..<padded.count {
                guard padded[index] == UInt8(padding) else { throw .notAuthentic }
            }
            return SecureBytes(copying: padded.extracting(0..<padded.count - padding))
        }
    }
}
