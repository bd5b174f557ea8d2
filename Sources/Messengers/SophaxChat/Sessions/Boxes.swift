package import Encodings
package import Primitives
package import SecureMemory

/// A box: nonce (12) ‖ ChaCha20-Poly1305 ciphertext ‖ tag (16).
package enum Boxes {
    /// Bytes that a box is longer than its plaintext.
    package static let overhead = ChaChaPoly.nonceCount + ChaChaPoly.tagCount

    /// The key of a box between two: HKDF-SHA-256(Diffie-Hellman result, no salt, label, 32).
    /// - Throws: `SharedKeyError` for a key of low order.
    package static func agreedKey(
        _ own: borrowing SecureBytes, _ other: [UInt8], _ label: String
    ) throws(SharedKeyError) -> SecureBytes {
        let shared = try own.withBytes { (own) throws(SharedKeyError) in
            try X25519.sharedSecret(privateKey: own, publicKey: other.span)
        }
        let info = Array(label.utf8)
        return shared.withBytes { HKDFSHA256.deriveKey(from: $0, salt: Span(), info: info.span, count: 32) }
    }

    package static func seal(
        _ plaintext: Span<UInt8>, key: borrowing SecureBytes, nonce: [UInt8], data: [UInt8]
    ) -> [UInt8] {
        nonce + ChaChaPoly.seal(plaintext, nonce: nonce, key: key, additionalData: data)
    }

    /// Seals under a random nonce.
    package static func seal(_ plaintext: Span<UInt8>, key: borrowing SecureBytes, data: [UInt8]) -> [UInt8] {
        seal(plaintext, key: key, nonce: Random.bytes(ChaChaPoly.nonceCount), data: data)
    }

    /// - Throws: `.notAuthentic` also for a box that is too short.
    package static func open(
        _ box: [UInt8], key: borrowing SecureBytes, data: [UInt8], life: SecretLife = .long
    ) throws(AuthenticationError) -> SecureBytes {
        guard box.count >= overhead else { throw .notAuthentic }
        let nonce = Array(box[..<ChaChaPoly.nonceCount])
        return try ChaChaPoly.open(
            box.span.extracting(ChaChaPoly.nonceCount..<box.count), nonce: nonce, key: key, additionalData: data,
            life: life)
    }
}

extension Fields {
    /// An object without the members that are nil, as compact JSON with sorted names.
    package static func object(_ members: [(String, JSONValue?)]) -> [UInt8] {
        JSONValue.object(present: members).bytes
    }
}
