public import Primitives
public import SecureMemory
public import Threema

// The secrets of initiator I and responder R, each HSalsa20(X25519(…)), 32 bytes. FSSK is the ephemeral pair:
//
//   s1  I's private key, R's public key         static, static
//   s2  I's FSSK, R's public key                ephemeral, static
//   s3  I's private key, R's FSSK               static, ephemeral
//   s4  I's FSSK, R's FSSK                      ephemeral, ephemeral
//
//   2DH chain of I  = BLAKE2b-256(key: s1 ‖ s2, salt: "ke-2dh-" ‖ I's ID, personal: "3ma-e2e")
//   seed            = BLAKE2b-512(s1 ‖ s2 ‖ s3 ‖ s4)
//   4DH chain of X  = BLAKE2b-256(key: seed, salt: "ke-4dh-" ‖ X's ID, personal: "3ma-e2e")
//
// The specification's text has s1 ‖ s2 as the hashed data. The apps use it as the key, with empty data, and only what
// they do can be talked to.

/// The derivation of a session's first chain keys.
public enum KeyAgreement {
    /// The secret of one's private and another's public key. Either side computes the same.
    /// - Parameters:
    ///   - privateKey: 32 bytes, unclamped.
    ///   - publicKey: 32 bytes.
    /// - Throws: `.weakPublicKey` for a point of small order.
    public static func secret(
        _ privateKey: borrowing SecureBytes, _ publicKey: [UInt8]
    ) throws(SharedKeyError) -> SecureBytes {
        try privateKey.withBytes { (key) throws(SharedKeyError) in
            try Box.sharedKey(privateKey: key, publicKey: publicKey.span)
        }
    }

    /// The initiator's chain before the responder has accepted.
    /// - Parameters: `s1` and `s2` have 32 bytes.
    /// - Returns: the key of the first message's chain, 32 bytes.
    public static func twoDHRoot(
        s1: borrowing SecureBytes, s2: borrowing SecureBytes, initiator: ThreemaID
    ) -> SecureBytes {
        var key = SecureBuffer(capacity: s1.count + s2.count)
        key.append(s1)
        key.append(s2)
        return root(key.finish(), salt: "ke-2dh-", initiator)
    }

    /// What both 4DH chains are derived from.
    /// - Parameters: each has 32 bytes.
    /// - Returns: 64 bytes.
    public static func fourDHSeed(
        s1: borrowing SecureBytes, s2: borrowing SecureBytes, s3: borrowing SecureBytes, s4: borrowing SecureBytes
    ) -> SecureBytes {
        var data = SecureBuffer(capacity: s1.count + s2.count + s3.count + s4.count)
        data.append(s1)
        data.append(s2)
        data.append(s3)
        data.append(s4)
        let secrets = data.finish()
        return secrets.withBytes { BLAKE2b.hash512($0) }
    }

    /// The chain of one sender.
    /// - Parameter seed: from `fourDHSeed`, 64 bytes.
    /// - Returns: the key of the first message's chain, 32 bytes.
    public static func fourDHRoot(seed: borrowing SecureBytes, sender: ThreemaID) -> SecureBytes {
        root(seed, salt: "ke-4dh-", sender)
    }

    /// 7 bytes and an ID are 15 of the 16 bytes of a salt.
    private static func root(_ key: borrowing SecureBytes, salt: String, _ id: ThreemaID) -> SecureBytes {
        BLAKE2b.deriveKey(from: key, salt: salt + id.text, personal: Chain.personal)
    }
}
