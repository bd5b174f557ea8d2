internal import Primitives
internal import SecureMemory
internal import Threema
package import ThreemaMessages

/// What a participant draws for one handshake. Each handshake has its own, so no nonce is used with two keys.
package struct HandshakeSecrets: Sendable {
    /// Private part of PCK.
    package let privateKey: EnclosedKey
    /// PCCK, 16 bytes.
    package let challenge: [UInt8]
    /// 24 bytes.
    package let helloNonce: [UInt8]
    /// 24 bytes, of the inner box of the Auth.
    package let authNonce: [UInt8]
    let publicKey: PublicKey

    package init(privateKey: EnclosedKey, challenge: [UInt8], helloNonce: [UInt8], authNonce: [UInt8]) {
        precondition(challenge.count == Hello.challengeCount)
        self.privateKey = privateKey
        self.challenge = challenge
        self.helloNonce = helloNonce
        self.authNonce = authNonce
        // A private key never has a public key of low order, because it is clamped.
        publicKey = PublicKey(privateKey.bytes.withBytes { X25519.publicKey(of: $0) })!
    }

    package static func random() -> HandshakeSecrets {
        HandshakeSecrets(
            privateKey: .random(), challenge: Random.bytes(Hello.challengeCount),
            helloNonce: Random.bytes(SecretBox.nonceCount), authNonce: Random.bytes(SecretBox.nonceCount))
    }
}

/// The boxes between participants.
enum CallBox {
    /// The number of a participant's first message to another one.
    static let firstNumber: UInt64 = 1

    /// PCCK ‖ PCSN, 24 bytes.
    static func nonce(_ challenge: [UInt8], _ number: UInt64) -> [UInt8] {
        challenge + (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
    }

    /// Opens nonce ‖ box.
    static func open(
        _ sealed: Span<UInt8>, key: borrowing SecureBytes
    ) throws(AuthenticationError) -> SecureBytes {
        guard sealed.count >= SecretBox.nonceCount else { throw .notAuthentic }
        let nonce = sealed.extracting(0..<SecretBox.nonceCount).revealBytes()
        let box = sealed.extracting(SecretBox.nonceCount..<sealed.count)
        return try key.withBytes { (key) throws(AuthenticationError) in
            try SecretBox.open(box, nonce: nonce, key: key)
        }
    }
}
