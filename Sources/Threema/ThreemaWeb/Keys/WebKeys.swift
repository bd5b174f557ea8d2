internal import Primitives
internal import SecureMemory
internal import Threema
public import ThreemaMessages

/// The permanent private key of one side: the web client's, or the app's for this web client. The initiator's public
/// key names the path of both on the server.
public typealias PermanentKey = SharedSecret<SecretKinds.PermanentKey>

/// The private key that one side draws for a handshake with one peer. Using it for another one would end forward
/// secrecy.
public typealias SessionKey = SharedSecret<SecretKinds.SessionKey>

/// The secret in the QR code of a first pairing. It seals one message: that with the app's permanent public key.
public typealias AuthToken = SharedSecret<SecretKinds.AuthToken>

extension SecretKinds {
    /// The kind of the type of this name.
    public enum PermanentKey: PrivateKeyKind {}
    /// The kind of the type of this name.
    public enum SessionKey: PrivateKeyKind {}
    /// The kind of the type of this name.
    public enum AuthToken: KeyKind {}
}

/// The keys of two sides' boxes: HSalsa20(X25519(private key, public key), zeros).
enum SharedKeys {
    /// The key of a private and a public key. It exists, because a `PublicKey` is not of low order.
    static func shared(_ privateKey: borrowing SecureBytes, _ publicKey: PublicKey) -> EnclosedKey {
        // Cannot throw: see above.
        let shared = try! privateKey.withBytes { (own) throws(SharedKeyError) in
            try Box.sharedKey(privateKey: own, publicKey: publicKey.bytes.span)
        }
        return EnclosedKey(shared)
    }
}
