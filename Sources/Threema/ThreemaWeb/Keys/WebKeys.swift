internal import Primitives
public import SecureMemory
public import Threema
internal import ThreemaMessages

/// The permanent private key of one side: the web client's, or the app's for this web client. It is a reference to the
/// one copy in guarded memory.
public final class PermanentKey: Sendable {
    /// Length in bytes.
    public static let count = X25519.count

    /// The 32 bytes of the private key.
    public let bytes: SecureBytes
    /// Its public key. The initiator's names the path of both on the server.
    public let publicKey: PublicKey

    /// - Parameter bytes: 32 bytes.
    public init(_ bytes: consuming SecureBytes) {
        precondition(bytes.count == Self.count)
        // Not nil: a clamped private key has no public key of low order.
        publicKey = PublicKey(bytes.withBytes { X25519.publicKey(of: $0) })!
        self.bytes = bytes
    }

    /// A key from the system's random numbers.
    public static func random() -> PermanentKey { PermanentKey(Random.secret(count)) }
}

/// The private key that one side draws for a handshake with one peer. Using it for another one would end forward
/// secrecy.
public final class SessionKey: Sendable {
    /// Length in bytes.
    public static let count = X25519.count

    /// The 32 bytes of the private key.
    public let bytes: SecureBytes
    /// The public key, 32 bytes, which the other side gets.
    public let publicKey: PublicKey

    /// - Parameter bytes: 32 bytes.
    public init(_ bytes: consuming SecureBytes) {
        precondition(bytes.count == Self.count)
        publicKey = PublicKey(bytes.withBytes { X25519.publicKey(of: $0) })!
        self.bytes = bytes
    }

    /// A key from the system's random numbers. Each connection needs a new one.
    public static func random() -> SessionKey { SessionKey(Random.secret(count)) }
}

/// The secret in the QR code of a first pairing. It seals one message: that with the app's permanent public key.
public final class AuthToken: Sendable, Equatable, CustomStringConvertible {
    /// Length in bytes.
    public static let count = SecretBox.keyCount

    /// The 32 bytes.
    public let bytes: SecureBytes

    /// - Parameter bytes: 32 bytes.
    public init(_ bytes: consuming SecureBytes) {
        precondition(bytes.count == Self.count)
        self.bytes = bytes
    }

    /// A fresh token. Each QR code has another one.
    public static func random() -> AuthToken { AuthToken(Random.secret(count)) }

    /// Whether both are the same token, in constant time.
    public static func == (left: AuthToken, right: AuthToken) -> Bool {
        left.bytes.withBytes { left in right.bytes.withBytes { ConstantTime.areEqual(left, $0) } }
    }

    /// Tells nothing about the token.
    public var description: String { "AuthToken" }
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
