internal import Encodings
public import Primitives
public import Ratchet
public import SecureMemory

// offset  length  meaning
//      0       1  version: that of the session ≪ 4 | the highest that the sender speaks
//      1       n  protobuf: 1 ratchetKey (33), 2 counter, 3 previousCounter, 4 ciphertext
//    1+n       8  the first bytes of HMAC-SHA-256 over all before; in version 3 over
//                 sender's identity (33) ‖ receiver's identity (33) ‖ all before
//
// The ciphertext of version 2 is AES-256-CTR, with the counter (4, big-endian) ‖ 12 × 00 as first block; that of version 3
// is AES-256-CBC with padding, and its IV is derived.

/// A message of a session.
public struct WhisperMessage: Equatable, Sendable {
    /// Longest message that is read, in bytes.
    public static let maxCount = 256 * 1024
    /// Longest body that is sealed, in bytes.
    public static let maxBodyCount = 128 * 1024
    static let macCount = 8

    /// The version of the session, which decides about keys and cipher.
    public let version: SessionVersion
    /// The sender's ratchet key, 33 bytes, which names the chain.
    public let ratchetKey: PublicKey33
    /// Number of the message on its chain, from 0.
    public let counter: UInt32
    /// The last counter of the sender's previous chain; 0 if it had none. Early clients wrote 2³² − 1.
    public let previousCounter: UInt32
    /// The encrypted body: as long as the body in version 2, whole blocks of 16 bytes in version 3.
    public let ciphertext: [UInt8]
    /// The message as it is on the wire.
    public let bytes: [UInt8]

    /// Reads a message. Nothing is authenticated.
    /// - Throws: `.malformed`, `.unknownVersion`, `.weakKey`.
    public init(parsing bytes: [UInt8]) throws(SessionError) {
        guard bytes.count > 1 + Self.macCount, bytes.count <= Self.maxCount else { throw .malformed }
        version = try VersionByte(bytes[0]).version
        let fields = try MessageFields(
            Array(bytes[1..<bytes.count - Self.macCount]), numbers: [2, 3], bytes: [1, 4])
        ratchetKey = try fields.key(1)
        guard let counter = fields.number(2) else { throw .malformed }
        self.counter = counter
        previousCounter = fields.number(3) ?? 0
        ciphertext = try fields.bytes(4)
        self.bytes = bytes
    }

    /// Seals a body with the key of its message, for protocols that are diagnosed; `TextSecureSession` seals by itself.
    /// - Parameters:
    ///   - key: cipher key (32) ‖ MAC key (32) ‖ in version 3 IV (16). It seals one message.
    ///   - previousCounter: the last counter of the previous chain, or 0.
    /// - Throws: `.tooLong`; `.malformed` for a key of another length.
    public static func seal(
        _ body: Span<UInt8>, version: SessionVersion, key: HeldKey, ratchetKey: PublicKey33, counter: UInt32,
        previousCounter: UInt32, from own: PublicKey33, to peer: PublicKey33
    ) throws(SessionError) -> WhisperMessage {
        guard body.count <= maxBodyCount else { throw .tooLong(limit: maxBodyCount) }
        guard key.bytes.count == version.keyCount else { throw .malformed }
        let parts = MessageKeys(key)
        let block = firstBlock(counter)
        let ciphertext =
            switch version {
            case .two: Legacy.AESCTR.encrypt(body, key: parts.cipher, iv: block.span)
            case .three: Legacy.PaddedCBC.seal(body, key: parts.cipher, iv: parts.iv)
            }
        var bytes = [VersionByte(version).byte]
        let keyBytes = ratchetKey.bytes
        ProtobufWire.append(keyBytes.span, number: 1, to: &bytes)
        ProtobufWire.append(UInt64(counter), number: 2, to: &bytes)
        ProtobufWire.append(UInt64(previousCounter), number: 3, to: &bytes)
        ProtobufWire.append(ciphertext.span, number: 4, to: &bytes)
        bytes += parts.mac(of: bytes, version, from: own, to: peer)
        return try WhisperMessage(parsing: bytes)
    }

    /// Opens the body after the MAC, for protocols that are diagnosed; `TextSecureSession` opens by itself.
    /// - Parameter key: of this message, as for `seal`.
    /// - Throws: `.notAuthentic`, also for a key of another length.
    public func open(
        _ key: HeldKey, from peer: PublicKey33, to own: PublicKey33
    ) throws(AuthenticationError) -> SecureBytes {
        guard key.bytes.count == version.keyCount else { throw .notAuthentic }
        let parts = MessageKeys(key)
        let end = bytes.count - Self.macCount
        let mac = parts.mac(of: Array(bytes[..<end]), version, from: peer, to: own)
        let stated = Array(bytes[end...])
        guard ConstantTime.areEqual(mac.span, stated.span) else { throw .notAuthentic }
        switch version {
        case .two:
            let block = Self.firstBlock(counter)
            return Legacy.AESCTR.decrypt(ciphertext.span, key: parts.cipher, iv: block.span)
        case .three:
            guard let body = Legacy.PaddedCBC.open(ciphertext.span, key: parts.cipher, iv: parts.iv) else {
                throw .notAuthentic
            }
            return body
        }
    }

    var header: RatchetHeader {
        RatchetHeader(ratchetKey: ratchetKey.point, previousCount: previousCounter, number: counter)
    }

    private static func firstBlock(_ counter: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: counter >> (24 - 8 * $0)) } + [UInt8](repeating: 0, count: 12)
    }
}

/// What a message's key is made of: cipher key (32) ‖ MAC key (32) ‖ in version 3 IV (16).
private struct MessageKeys: ~Copyable {
    let cipher: SecureBytes
    private let macKey: SecureBytes
    /// 16 bytes; empty in version 2. It is used once, and known to who knows the key.
    let iv: [UInt8]

    init(_ key: HeldKey) {
        cipher = key.bytes.withBytes { SecureBytes(copying: $0.extracting(0..<32)) }
        macKey = key.bytes.withBytes { SecureBytes(copying: $0.extracting(32..<64)) }
        iv = key.bytes.withBytes { $0.extracting(64..<$0.count).revealBytes() }
    }

    borrowing func mac(
        of bytes: [UInt8], _ version: SessionVersion, from sender: PublicKey33, to receiver: PublicKey33
    ) -> [UInt8] {
        let input = (version == .three ? sender.bytes + receiver.bytes : []) + bytes
        return macKey.withBytes { Array(HMACSHA256.authenticate(input.span, key: $0).prefix(WhisperMessage.macCount)) }
    }
}
