internal import Encodings
internal import Primitives
public import SecureMemory

// Every derivation of a session, and where it is specified. All HKDFs are HKDF-SHA-256.
//
//   first secret     X3DH, section 2.2: HKDF(salt 32 × 00, [32 × ff ‖] DH ‖ DH ‖ DH [‖ DH], info)
//   root step        Double Ratchet, section 5.2: HKDF(salt = root key, DH, info) → root ‖ chain [‖ next header key]
//   message keys     Double Ratchet, section 5.2: HKDF(salt 32 × 00, message key, info)
//   header keys      Double Ratchet, section 4: agreed on with the first secret, here HKDF(first secret, info)

extension RatchetSuite {
    static let noSalt = [UInt8](repeating: 0, count: 32)
    static let agreementPrefix = [UInt8](repeating: 0xff, count: 32)

    func derive(_ secret: borrowing SecureBytes, salt: [UInt8], info: [UInt8], count: Int) -> SecureBytes {
        secret.withBytes {
            HKDFSHA256.deriveKey(
                from: $0, salt: salt.span, info: info.span, count: count, firstBlock: firstBlock, life: .brief)
        }
    }

    /// What a Diffie-Hellman result makes of the root key.
    struct RootStep {
        let root: HeldKey
        let chain: HeldKey
        /// Nil if headers are not encrypted.
        let nextHeaderKey: HeldKey?
    }

    /// - Throws: `.weakKey` if the result is zero.
    func rootStep(_ root: HeldKey, _ own: HeldKey, _ other: [UInt8]) throws(RatchetError) -> RootStep {
        let shared = HeldKey(try Self.agree(own.bytes, other))
        return rootStep(root, secret: shared.bytes)
    }

    /// A root step's keys, for protocols that are diagnosed; `DoubleRatchet` takes these steps itself.
    /// - Parameters:
    ///   - root: the root key, 32 bytes.
    ///   - secret: the Diffie-Hellman result, 32 bytes.
    /// - Returns: next root key, chain key, and with encrypted headers the next header key, 32 bytes each.
    public func rootKeys(root: borrowing SecureBytes, secret: borrowing SecureBytes) -> SecureBytes {
        root.withBytes { root in
            secret.withBytes {
                HKDFSHA256.deriveKey(
                    from: $0, salt: root, info: rootInfo.span, count: headerKeys == nil ? 64 : 96,
                    firstBlock: firstBlock, life: .brief)
            }
        }
    }

    private func rootStep(_ root: HeldKey, secret: borrowing SecureBytes) -> RootStep {
        let keys = rootKeys(root: root.bytes, secret: secret)
        return keys.withBytes { keys in
            RootStep(
                root: HeldKey(keys.extracting(0..<32)), chain: HeldKey(keys.extracting(32..<64)),
                nextHeaderKey: headerKeys == nil ? nil : HeldKey(keys.extracting(64..<96)))
        }
    }

    /// The key or keys that a message's body is under: 32 bytes, or as many as the expansion has.
    /// - Parameter key: from the message's chain, 32 bytes.
    public func messageKey(_ key: HeldKey) -> HeldKey {
        guard let expansion else { return key }
        return HeldKey(
            derive(key.bytes, salt: Self.noSalt, info: expansion.info, count: expansion.count))
    }

    /// The Diffie-Hellman result of a private and a public key, 32 bytes each.
    /// - Throws: `.weakKey` if it is zero, or if the public key has another length.
    static func agree(_ own: borrowing SecureBytes, _ other: [UInt8]) throws(RatchetError) -> SecureBytes {
        guard other.count == X25519.count else { throw .weakKey }
        do {
            return try own.withBytes { (own) throws(SharedKeyError) in
                try X25519.sharedSecret(privateKey: own, publicKey: other.span, life: .brief)
            }
        } catch {
            throw .weakKey
        }
    }
}
