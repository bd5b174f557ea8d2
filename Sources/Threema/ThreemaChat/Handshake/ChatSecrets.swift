public import Primitives
public import SecureMemory
public import Threema

// SS(a, B) = HSalsa20(X25519(a, B), zeros), NaCl's beforenm
//
//   session key = SS(TCK, TSK.pub)
//   vouch key   = BLAKE2b-256(key: SS(CK, SK.pub) ‖ SS(CK, TSK.pub), salt: "v2", personal: "3ma-csp")
//   vouch       = BLAKE2b-256(key: vouch key, data: server cookie ‖ TCK.pub)
//
// The server computes the same two secrets with SK, TSK and the public key of the identity.

/// The derivations of the handshake.
public enum ChatSecrets {
    /// Length of a vouch in bytes.
    public static let vouchCount = BLAKE2b.count

    /// The secret of a private key and a public key.
    /// - Parameter privateKey: 32 bytes.
    /// - Returns: 32 bytes.
    /// - Throws: `.weakPublicKey`, never for a value of `PublicKey`.
    public static func shared(
        _ privateKey: borrowing SecureBytes, _ publicKey: PublicKey
    ) throws(SharedKeyError) -> SecureBytes {
        try privateKey.withBytes { (privateKey) throws(SharedKeyError) in
            try Box.sharedKey(privateKey: privateKey, publicKey: publicKey.bytes.span)
        }
    }

    /// The key of a vouch.
    /// - Parameters:
    ///   - permanent: SS of the identity's key and the server's permanent key, 32 bytes.
    ///   - temporary: SS of the identity's key and the server's temporary key, 32 bytes.
    public static func vouchKey(permanent: borrowing SecureBytes, temporary: borrowing SecureBytes) -> SecureBytes {
        var both = SecureBuffer(capacity: permanent.count + temporary.count)
        both.append(permanent)
        both.append(temporary)
        return BLAKE2b.deriveKey(from: both.finish(), salt: "v2", personal: "3ma-csp")
    }

    /// The proof that a client has the private key of its identity. It holds for one connection only.
    /// - Returns: 32 bytes.
    public static func vouch(
        key: borrowing SecureBytes, serverCookie: ChatCookie, temporaryClientKey: PublicKey
    ) -> [UInt8] {
        BLAKE2b.authenticate(temporaryClientKey.bytes.span, after: serverCookie.bytes.span, key: key)
    }
}
