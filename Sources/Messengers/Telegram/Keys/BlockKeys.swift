internal import Primitives
public import SecureMemory

/// Key and initialization vector of one message in AES-256-IGE. They encrypt one message only.
public struct BlockKeys: ~Copyable, Sendable {
    /// Length of the key in bytes.
    public static let keyCount = 32
    /// Length of the initialization vector in bytes.
    public static let ivCount = Legacy.AESIGE.ivCount

    /// The AES key, 32 bytes.
    public let key: SecureBytes
    /// The initialization vector, 32 bytes: c₋₁, then p₋₁.
    public let iv: SecureBytes

    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - iv: 32 bytes.
    public init(key: consuming SecureBytes, iv: consuming SecureBytes) {
        precondition(key.count == Self.keyCount && iv.count == Self.ivCount)
        self.key = key
        self.iv = iv
    }

    /// How many bytes make a length a multiple of 16: 0 to 15.
    static func paddingCount(of count: Int) -> Int {
        (Legacy.AESIGE.blockCount - count % Legacy.AESIGE.blockCount) % Legacy.AESIGE.blockCount
    }

    func encrypt(_ plaintext: Span<UInt8>) -> [UInt8] { Legacy.AESIGE.encrypt(plaintext, key: key, iv: iv) }

    func decrypt(_ ciphertext: Span<UInt8>) -> SecureBytes { Legacy.AESIGE.decrypt(ciphertext, key: key, iv: iv) }
}

/// Version 1 of MTProto, which version 2 has replaced.
///
/// Its message key is a SHA-1 of the plaintext, and does not cover the padding. It is here to read and diagnose what
/// exists. Nothing new is encrypted with it: no function of this room chooses it, a caller names it.
public enum LegacyMTProto1 {
    /// Who has sent a packet.
    public enum Direction: Sendable, CaseIterable {
        case fromClient
        case fromServer

        /// Where in the authorization key the bytes begin that a packet's key is made of: the protocol's x.
        var offset: Int { self == .fromClient ? 0 : 8 }
    }

    /// Length of a message key in bytes.
    public static let messageKeyCount = 16

    /// The message key: the last 16 bytes of the SHA-1 of what is encrypted, without padding.
    static func messageKey(of plain: Span<UInt8>) -> [UInt8] { Array(Legacy.SHA1.hash(plain)[4...]) }

    /// Key and IV of a packet. With m the message key, K the authorization key, and x 0 from the client, 8 from the
    /// server:
    ///
    ///     A = SHA1(m ‖ K[x:x+32])                    key = A[0:8] ‖ B[8:20] ‖ C[4:16]
    ///     B = SHA1(K[32+x:48+x] ‖ m ‖ K[48+x:64+x])  iv  = A[8:20] ‖ B[0:8] ‖ C[16:20] ‖ D[0:8]
    ///     C = SHA1(K[64+x:96+x] ‖ m)
    ///     D = SHA1(m ‖ K[96+x:128+x])
    ///
    /// - Parameter messageKey: 16 bytes.
    public static func blockKeys(
        _ key: borrowing AuthorizationKey, messageKey: [UInt8], _ direction: Direction
    ) -> BlockKeys {
        key.bytes.withBytes { blockKeys($0, messageKey: messageKey, offset: direction.offset) }
    }

    /// - Parameter key: 256 bytes. The Desktop app derives from its local key in the same way.
    static func blockKeys(_ key: Span<UInt8>, messageKey: [UInt8], offset x: Int) -> BlockKeys {
        precondition(messageKey.count == messageKeyCount)
        let nothing = key.extracting(0..<0)
        let a = digest(nothing, messageKey, key.extracting(x..<x + 32))
        let b = digest(key.extracting(32 + x..<48 + x), messageKey, key.extracting(48 + x..<64 + x))
        let c = digest(key.extracting(64 + x..<96 + x), messageKey, nothing)
        let d = digest(nothing, messageKey, key.extracting(96 + x..<128 + x))
        var aesKey = SecureBuffer(capacity: BlockKeys.keyCount)
        aesKey.append(a, 0..<8)
        aesKey.append(b, 8..<20)
        aesKey.append(c, 4..<16)
        var iv = SecureBuffer(capacity: BlockKeys.ivCount)
        iv.append(a, 8..<20)
        iv.append(b, 0..<8)
        iv.append(c, 16..<20)
        iv.append(d, 0..<8)
        return BlockKeys(key: aesKey.finish(), iv: iv.finish())
    }

    private static func digest(_ before: Span<UInt8>, _ messageKey: [UInt8], _ after: Span<UInt8>) -> SecureBytes {
        var message = SecureBuffer(capacity: before.count + messageKeyCount + after.count)
        message.append(before)
        message.append(messageKey.span)
        message.append(after)
        return message.finish().withBytes { Legacy.SHA1.derive($0) }
    }
}

extension SecureBuffer {
    fileprivate mutating func append(_ secret: borrowing SecureBytes, _ range: Range<Int>) {
        secret.withBytes { append($0.extracting(range)) }
    }
}
