internal import Primitives
public import SecureMemory
public import Threema
public import ThreemaMessages

// What both formats of a stored pairing contain:
//
//   offset  length  meaning
//        0      32  own permanent public key
//       32      32  own permanent private key
//       64      32  permanent public key of the peer
//       96       …  push token of the peer: nothing, or a letter, a colon and the token, UTF-8. The letters are g for
//                   FCM, a for APNs, h for HMS. Without letter and colon it is a token of FCM

/// A finished pairing that is stored, so that both sides pair again without a QR code.
public struct TrustedPairing: Sendable {
    /// Length without a push token, in bytes.
    public static let minCount = 3 * PublicKey.count

    /// The permanent key of this side for this pairing, 32 bytes.
    public let key: PermanentKey
    /// The peer's permanent public key.
    public let peer: PublicKey
    /// How to wake the app; nil if it cannot be.
    public let pushToken: WebPushToken?

    /// A pairing to store after its handshake.
    /// - Parameter pushToken: nil if the web client cannot wake the app.
    public init(key: PermanentKey, peer: PublicKey, pushToken: WebPushToken?) {
        self.key = key
        self.peer = peer
        self.pushToken = pushToken
    }

    /// Reads what an opened store contains.
    /// - Throws: `.wrongLength`, `.keysDiffer`, `.weakPeerKey`, `.badPushToken`.
    public init(decoding bytes: Span<UInt8>) throws(TrustedPairingError) {
        guard (Self.minCount...Self.minCount + 2 + WebPushToken.maxBytes).contains(bytes.count) else {
            throw .wrongLength(bytes.count)
        }
        let key = PermanentKey(SecureBytes(copying: bytes.extracting(32..<64)))
        guard key.publicKey.bytes == bytes.publicBytes(0..<32) else { throw .keysDiffer }
        guard let peer = PublicKey(bytes.publicBytes(64..<96)) else { throw .weakPeerKey }
        self.key = key
        self.peer = peer
        guard bytes.count > Self.minCount else {
            pushToken = nil
            return
        }
        guard let text = bytes.extracting(Self.minCount..<bytes.count).text(), let token = WebPushToken(stored: text)
        else { throw .badPushToken }
        pushToken = token
    }

    /// The bytes to seal: as a value of a `SessionStore`, whose key is the keystore's. They contain the private key.
    /// `init(decoding:)` reads them again.
    public var encoded: SecureBytes {
        let publicKey = key.publicKey.bytes
        let token = Array((pushToken?.stored ?? "").utf8)
        var buffer = SecureBuffer(capacity: Self.minCount + token.count)
        buffer.append(publicKey.span)
        buffer.append(key.bytes)
        buffer.append((peer.bytes + token).span)
        return buffer.finish()
    }
}

/// Why a stored pairing was not read.
public enum TrustedPairingError: Error, Equatable, Sendable {
    /// Its length in bytes.
    case wrongLength(Int)
    /// The stored public key is not that of the private key.
    case keysDiffer
    /// The peer's key is a point of low order.
    case weakPeerKey
    /// The push token is not UTF-8, of no known service, or too long.
    case badPushToken
    /// The text of a browser's store is not two hexadecimal numbers with a colon between them.
    case notHexadecimal
    /// The password is not UTF-8.
    case passwordNotUTF8
    /// The password is wrong, or the store damaged.
    case notOpened
}
