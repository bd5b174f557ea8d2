internal import Primitives
public import SecureMemory

/// The private key of an identity: 32 bytes, stored unclamped (X25519 clamps when it multiplies).
public struct ClientKey: ~Copyable, Sendable {
    /// Length in bytes.
    public static let count = 32

    /// The 32 bytes.
    public let bytes: SecureBytes

    /// - Parameter bytes: 32 bytes.
    public init(_ bytes: consuming SecureBytes) {
        precondition(bytes.count == Self.count)
        self.bytes = bytes
    }

    /// A new random key, XORed with the SHA-256 of `entropy` unless that is empty (whitepaper, "User-generated Entropy
    /// for Private Key Generation"). Bad entropy does not weaken the key.
    public static func random(mixing entropy: Span<UInt8> = Span()) -> ClientKey {
        mixing(Random.secret(count), with: entropy)
    }

    /// The same with given random numbers, for test vectors. For a new identity, use `random(mixing:)`.
    /// - Parameters:
    ///   - random: 32 bytes.
    ///   - entropy: bytes of the user; the key is `random` if there are none.
    public static func mixing(_ random: consuming SecureBytes, with entropy: Span<UInt8>) -> ClientKey {
        guard !entropy.isEmpty else { return ClientKey(random) }
        let digest = SHA256.hash(entropy)
        return ClientKey(
            random.withBytes { random in
                SecureBytes(count: count) { key in
                    for index in random.indices { key[index] = random[index] ^ digest[index] }
                }
            })
    }

    /// The public key of this private key. It is computed on each call.
    public var publicKey: PublicKey { PublicKey(of: self) }
}
