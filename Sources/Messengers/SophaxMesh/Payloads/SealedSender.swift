internal import Encodings
internal import Primitives
package import SecureMemory
public import SophaxChat

// A sealed message hides who sends it from those who relay it:
//
//   key = HKDF-SHA-256(DH(ephemeral, recipient), no salt, SophaxChat_SealedSender_v1, 32)
//   box = nonce (12) ‖ ChaCha20-Poly1305(key, inner message as JSON) ‖ tag (16)
//
// AAD: none in version 1; ephemeral key (32) ‖ recipient's DH key (32) in version 2, which has the member `v`: 2.

/// Why a sealed message does not open.
public enum SealedError: Error, Equatable, Sendable {
    /// Not a sealed message, or a wrong field.
    case malformed
    /// The ephemeral key is of low order.
    case weakKey
    /// It is for somebody else, or was changed.
    case notAuthentic
    /// What is inside is refused.
    case inner(WireError)
}

/// A message whose sender only its recipient learns.
public struct SealedMessage: Equatable, Sendable {
    static let maxBox = WireMessage.maxPayload
    /// 32 bytes.
    public let ephemeral: [UInt8]
    /// Nonce ‖ ciphertext ‖ tag of the message with its sender.
    public let box: [UInt8]
    /// Whether the box binds both keys.
    public let version: WireMessage.Version

    private init(ephemeral: [UInt8], box: [UInt8], version: WireMessage.Version) {
        self.ephemeral = ephemeral
        self.box = box
        self.version = version
    }

    /// Reads the payload of a message of kind `sealed`.
    public init(parsing bytes: [UInt8]) throws(SealedError) {
        guard bytes.count <= Self.maxBox else { throw .malformed }
        do throws(FieldError) {
            let fields = try Fields(bytes)
            ephemeral = try fields.bytes("ephemeralPublicKey", 32)
            box = try fields.bytes("encryptedPayload", Boxes.overhead...Self.maxBox)
            if fields.has("v") {
                guard try fields.integer("v", as: Int.self) == 2 else { throw .field("v") }
                version = .two
            } else {
                version = .one
            }
        } catch {
            throw .malformed
        }
    }

    /// The payload to send: JSON, UTF-8.
    public var encoded: [UInt8] {
        Self.json(ephemeral, box, version)
    }

    private static func json(_ ephemeral: [UInt8], _ box: [UInt8], _ version: WireMessage.Version) -> [UInt8] {
        Fields.object([
            ("ephemeralPublicKey", .base64(ephemeral)), ("encryptedPayload", .base64(box)),
            ("v", version == .two ? 2 : nil),
        ])
    }

    /// Seals a message for a peer.
    /// - Throws: `.inner(.nestedSeal)` for a sealed message, `.weakKey`.
    public static func seal(
        _ message: WireMessage, for recipient: PublicIdentity, version: WireMessage.Version = .two
    ) throws(SealedError) -> SealedMessage {
        guard message.kind != .sealed else { throw .inner(.nestedSeal) }
        return try seal(
            message.encoded, for: recipient.agreement, version: version, ephemeral: Random.secret(X25519.count),
            nonce: Random.bytes(ChaChaPoly.nonceCount))
    }

    package static func seal(
        _ inner: [UInt8], for recipient: [UInt8], version: WireMessage.Version, ephemeral: consuming SecureBytes,
        nonce: [UInt8]
    ) throws(SealedError) -> SealedMessage {
        let publicKey = ephemeral.withBytes { X25519.publicKey(of: $0) }
        let key = try key(ephemeral, recipient)
        let data = version == .one ? [] : publicKey + recipient
        return SealedMessage(
            ephemeral: publicKey, box: Boxes.seal(inner.span, key: key, nonce: nonce, data: data), version: version)
    }

    /// Opens a message. What is inside has still to pass `WireGate.admit`.
    /// - Parameter pinned: `.two` if the mesh speaks to us in version 2 only; then version 1 is refused. Who has
    ///   sealed it is not known before it opens.
    public borrowing func open(
        by identity: borrowing SophaxIdentity, pinned: WireMessage.Version = .one
    ) throws(SealedError) -> WireMessage {
        guard version >= pinned else { throw .inner(.lowerVersion) }
        let bytes = try openBytes(identity.agreement, identity.publicIdentity.agreement)
        let message: WireMessage
        do throws(WireError) { message = try WireMessage(parsing: bytes) } catch { throw .inner(error) }
        guard message.kind != .sealed else { throw .inner(.nestedSeal) }
        return message
    }

    package borrowing func openBytes(
        _ own: borrowing SecureBytes, _ ownPublic: [UInt8]
    ) throws(SealedError) -> [UInt8] {
        let key = try Self.key(own, ephemeral)
        let data = version == .one ? [] : ephemeral + ownPublic
        do { return try Boxes.open(box, key: key, data: data).revealBytes() } catch { throw .notAuthentic }
    }

    package static func key(_ own: borrowing SecureBytes, _ other: [UInt8]) throws(SealedError) -> SecureBytes {
        do { return try Boxes.agreedKey(own, other, "SophaxChat_SealedSender_v1") } catch { throw .weakKey }
    }
}
