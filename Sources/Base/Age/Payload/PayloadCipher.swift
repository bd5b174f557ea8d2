internal import Primitives
internal import SecureMemory

// The payload (C2SP age, "Payload"), behind the header: a nonce of 16 random bytes, and chunks of 65,536 bytes of
// content with a tag of 16 bytes each. The last chunk has 1 to 65,536 bytes of content, or none if it is the only one.
//
//   payload key = HKDF-SHA-256(file key, salt nonce, info `payload`)
//   chunk nonce = number of the chunk, 11 bytes, big-endian ‖ 1 for the last chunk, else 0

/// Encrypts and decrypts the chunks of one payload, in their order.
struct PayloadCipher: ~Copyable {
    static let nonceCount = 16
    static let tagCount = ChaChaPoly.tagCount
    /// Most bytes of content in a chunk.
    static let chunkCount = 64 * 1024
    static let sealedCount = chunkCount + tagCount

    private let key: SecureBytes
    /// The number of the next chunk, from 0. 64 bits are enough for more bytes than there are.
    private(set) var number: UInt64 = 0

    init(_ fileKey: borrowing AgeFileKey, nonce: [UInt8]) {
        precondition(nonce.count == Self.nonceCount)
        key = fileKey.deriveKey(salt: nonce, info: "payload")
    }

    /// Encrypts the next chunk. Its number is used up, whatever the caller does with the result.
    /// - Parameter sealed: 16 bytes longer than `content`.
    mutating func seal(_ content: Span<UInt8>, isLast: Bool, into sealed: inout MutableSpan<UInt8>) {
        let nonce = nonce(isLast: isLast)
        number += 1
        ChaChaPoly.seal(content, nonce: nonce, key: key, additionalData: [], into: &sealed)
    }

    /// Decrypts the next chunk, behind what `content` has.
    /// - Parameter sealed: at least 16 bytes.
    /// - Throws: `.notAuthentic` if the chunk is another one or was changed, or if it is the last one and `isLast` is
    ///   false, or the reverse. The number stays, so that the caller can ask for the other case.
    mutating func open(
        _ sealed: Span<UInt8>, isLast: Bool, into content: inout SecureBuffer
    ) throws(AuthenticationError) {
        let nonce = nonce(isLast: isLast)
        try content.append(count: sealed.count - Self.tagCount) { (content) throws(AuthenticationError) in
            try ChaChaPoly.open(sealed, nonce: nonce, key: key, additionalData: [], into: &content)
        }
        number += 1
    }

    private func nonce(isLast: Bool) -> [UInt8] {
        var nonce = [UInt8](repeating: 0, count: ChaChaPoly.nonceCount)
        for index in 0..<8 { nonce[3 + index] = UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * index)) }
        nonce[11] = isLast ? 1 : 0
        return nonce
    }
}
