internal import Encodings
internal import Primitives
internal import SecureMemory

// C2SP age, "The X25519 recipient type":
//
//   -> X25519 SHARE⏎        the public key of a new ephemeral secret, 32 bytes
//   WRAPPED⏎                the file key under the wrap key, 32 bytes
//
//   wrap key = HKDF-SHA-256(X25519(ephemeral, recipient), salt SHARE ‖ recipient, info `age-encryption.org/v1/X25519`)

/// The file key, wrapped for one X25519 recipient, whom the stanza does not name.
struct X25519Stanza {
    static let type = "X25519"

    private let share: [UInt8]
    private let wrapped: [UInt8]

    /// - Throws: `.header(.x25519)` for wrong arguments, a body of another length, or a share of low order, with which
    ///   every secret would give the same key.
    init(_ stanza: Stanza) throws(AgeError) {
        guard stanza.arguments.count == 2,
            let share = Base64.decodePublic(Array(stanza.arguments[1].utf8).span, isPadded: false),
            share.count == X25519.count, stanza.body.count == AgeFileKey.wrappedCount, !X25519.isLowOrder(share)
        else { throw .header(.x25519) }
        self.share = share
        wrapped = stanza.body
    }

    /// Wraps a file key.
    /// - Parameter ephemeral: 32 random bytes, never used before.
    static func wrap(
        _ fileKey: borrowing AgeFileKey, for recipient: AgeRecipient, ephemeral: borrowing SecureBytes
    ) -> Stanza {
        let share = ephemeral.withBytes { X25519.publicKey(of: $0) }
        // This cannot fail: no recipient has a key of low order.
        let key = try! wrapKey(ephemeral, recipient.publicKey, share: share, recipient: recipient.publicKey)
        return Stanza(arguments: [type, Base64.encodeUnpadded(share.span)], body: fileKey.wrapped(under: key))
    }

    /// - Returns: nil if the stanza is not for this identity.
    func unwrap(_ identity: borrowing AgeIdentity) -> AgeFileKey? {
        // This cannot fail: the share is not of low order.
        let key = try! Self.wrapKey(identity.secret, share, share: share, recipient: identity.recipient.publicKey)
        return AgeFileKey.unwrap(wrapped, under: key)
    }

    private static func wrapKey(
        _ secret: borrowing SecureBytes, _ publicKey: [UInt8], share: [UInt8], recipient: [UInt8]
    ) throws(SharedKeyError) -> SecureBytes {
        let shared = try secret.withBytes { (secret) throws(SharedKeyError) in
            try X25519.sharedSecret(privateKey: secret, publicKey: publicKey.span)
        }
        let salt = share + recipient
        let info = Array("\(AgeHeader.version)/\(type)".utf8)
        return shared.withBytes { HKDFSHA256.deriveKey(from: $0, salt: salt.span, info: info.span, count: 32) }
    }
}
