internal import Primitives
internal import SecureMemory
public import Threema
public import ThreemaMessages

/// The first message of a first pairing: the responder's permanent public key, in a secretbox of the token. The clients
/// make and open it themselves: this is for programs that examine single messages.
public enum TokenMessage {
    /// The MessagePack in the box.
    public static func plaintext(_ key: PublicKey) -> [UInt8] {
        ServerLink.map(.token, [.init("key", .bytes(key.bytes))])
    }

    /// - Returns: nonce ‖ tag ‖ ciphertext.
    public static func seal(_ key: PublicKey, nonce: SignalingNonce, token: AuthToken) -> [UInt8] {
        let plaintext = plaintext(key)
        return token.bytes.withBytes { SecretBox.sealWithNonce(plaintext.span, nonce: nonce.bytes, key: $0) }
    }

    /// - Parameter message: nonce ‖ tag ‖ ciphertext.
    /// - Throws: `.tooShort`, `.tooLong`, `.notAuthentic`, `.message`.
    public static func open(
        _ message: Span<UInt8>, token: AuthToken
    ) throws(SignalingError) -> (SignalingNonce, PublicKey) {
        let nonce = try SignalingLink.nonce(of: message)
        try SignalingLink.checkCount(of: message, limit: SignalingLink.maxHandshakeCount)
        let box = message.extracting(SignalingNonce.count..<message.count)
        let plaintext: [UInt8]
        do throws(AuthenticationError) {
            plaintext = try Box.openPublic(box, nonce: nonce.bytes, sharedKey: token.bytes)
        } catch {
            throw .notAuthentic(.token)
        }
        return (nonce, try ResponderHandshake.publicKey(plaintext, .token, .token))
    }
}
