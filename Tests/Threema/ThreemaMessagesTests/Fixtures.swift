import Primitives
import SecureMemory
import Threema
import ThreemaMedia
import VectorKit

@testable import ThreemaMessages

/// What the tests use instead of noncopyable keys: bytes, from which each call makes its own.
struct Party: Sendable {
    let id: ThreemaID
    let privateKey: [UInt8]

    init(_ id: String, _ privateKey: [UInt8] = Random.bytes(32)) throws {
        self.id = try ThreemaID(id)
        self.privateKey = privateKey
    }

    var publicKey: PublicKey { PublicKey(X25519.publicKey(of: privateKey.span))! }

    func keys(with other: PublicKey) throws -> ContactKeys {
        try ContactKeys(own: ClientKey(SecureBytes(copying: privateKey.span)), contact: other)
    }

    func seal(_ message: Message, for other: Party) throws -> MessagePayload {
        try message.seal(keys: keys(with: other.publicKey), notIn: NoNonces()).payload
    }

    func sealImage(_ image: [UInt8], for other: Party) throws -> (blob: [UInt8], nonce: MessageNonce) {
        let keys = try keys(with: other.publicKey)
        return LegacyImage.seal(image.span, from: id, keys: keys, notIn: NoNonces())
    }

    func openImage(_ image: LegacyImage, _ blob: [UInt8], from other: Party) throws -> [UInt8] {
        let keys = try keys(with: other.publicKey)
        let plain = try image.open(blob.span, keys: keys)
        return plain.copied
    }

    func open(_ payload: MessagePayload, from other: PublicKey) throws -> Message {
        try payload.open(keys: keys(with: other))
    }
}

/// Remembers nothing.
struct NoNonces: UsedNonces {
    func contains(_ digest: NonceDigest) throws(Never) -> Bool { false }
}

/// Remembers in memory.
struct NonceSet: UsedNonces {
    var digests: Set<NonceDigest> = []
    func contains(_ digest: NonceDigest) throws(Never) -> Bool { digests.contains(digest) }
}

extension MessageBody {
    func container(padding: Int = 1) throws -> [UInt8] { try container(randomPadding: padding).copied }

    /// The body without type and padding.
    func encodedBody() throws -> [UInt8] {
        let container = try container(padding: 32)
        return Array(container[1..<container.count - 32])
    }

    static func decoded(_ type: MessageType, _ bytes: [UInt8]) throws -> MessageBody {
        try MessageBody(type, decoding: bytes.span)
    }
}

extension EnclosedKey {
    static func of(_ bytes: [UInt8]) -> EnclosedKey { EnclosedKey(SecureBytes(copying: bytes.span)) }
    var copied: [UInt8] { bytes.copied }
}

extension EnclosedBytes {
    static func of(_ bytes: [UInt8]) -> EnclosedBytes { EnclosedBytes(copying: bytes.span) }
}
