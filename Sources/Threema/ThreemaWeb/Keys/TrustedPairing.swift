internal import Primitives
public import SecureMemory
public import Threema
public import ThreemaMessages

// What a browser stores of a pairing, and before a server what `TrustedPairing.encoded` has:
//
//   offset  length  meaning
//        0      32  own permanent public key
//       32      32  own permanent private key
//       64      32  permanent public key of the peer
//       96       …  push token of the peer: nothing, or a letter, a colon and the token, UTF-8. The letters are g for
//                   FCM, a for APNs, h for HMS. Without letter and colon it is a token of FCM
//
// `encoded` continues with the server, if it is known: a byte 0, which no token has, and the bytes of `SignalingServer`. A
// browser has the server in the configuration of its page.

/// A finished pairing that is stored, so that both sides pair again without a QR code.
public struct TrustedPairing: Sendable {
    /// Length without a push token and a server, in bytes.
    public static let minCount = 3 * PublicKey.count
    /// Most bytes that a browser stores.
    static let maxBrowserCount = minCount + 2 + WebPushToken.maxBytes

    /// The permanent key of this side for this pairing, 32 bytes.
    public let key: PermanentKey
    /// The peer's permanent public key.
    public let peer: PublicKey
    /// How to wake the app; nil if it cannot be.
    public let pushToken: WebPushToken?

    /// Where both sides meet again, with the key by which the server proves itself; nil if the pairing was stored
    /// without it.
    public let server: SignalingServer?

    /// A pairing to store after its handshake.
    /// - Parameters:
    ///   - pushToken: nil if the web client cannot wake the app.
    ///   - server: of the code that has paired the two, `PairingPayload.server`.
    public init(key: PermanentKey, peer: PublicKey, pushToken: WebPushToken?, server: SignalingServer?) {
        self.key = key
        self.peer = peer
        self.pushToken = pushToken
        self.server = server
    }

    /// Reads what `encoded` has written, now or before it had a server.
    /// - Throws: `.wrongLength`, `.keysDiffer`, `.weakPeerKey`, `.badPushToken`, `.badServer`.
    public init(decoding bytes: Span<UInt8>) throws(TrustedPairingError) {
        let end = (min(Self.minCount, bytes.count)..<bytes.count).first { bytes[$0] == 0 }
        guard let end else {
            try self.init(browser: bytes, server: nil)
            return
        }
        let server: SignalingServer
        do throws(PairingError) {
            server = try SignalingServer(decoding: bytes.extracting(end + 1..<bytes.count))
        } catch {
            throw .badServer(error)
        }
        try self.init(browser: bytes.extracting(0..<end), server: server)
    }

    /// Reads what an opened browser's store contains.
    init(browser bytes: Span<UInt8>, server: SignalingServer?) throws(TrustedPairingError) {
        guard (Self.minCount...Self.maxBrowserCount).contains(bytes.count) else { throw .wrongLength(bytes.count) }
        let key = PermanentKey(SecureBytes(copying: bytes.extracting(32..<64)))
        guard key.publicKey.bytes == bytes.publicBytes(0..<32) else { throw .keysDiffer }
        guard let peer = PublicKey(bytes.publicBytes(64..<96)) else { throw .weakPeerKey }
        self.key = key
        self.peer = peer
        self.server = server
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
    public var encoded: SecureBytes { encoded(followedBy: server.map { [0] + $0.encoded } ?? []) }

    /// The bytes that a browser seals.
    var browserBytes: SecureBytes { encoded(followedBy: []) }

    private func encoded(followedBy end: [UInt8]) -> SecureBytes {
        let publicKey = key.publicKey.bytes
        let rest = peer.bytes + Array((pushToken?.stored ?? "").utf8) + end
        var buffer = SecureBuffer(capacity: publicKey.count + PermanentKey.count + rest.count)
        buffer.append(publicKey.span)
        buffer.append(key.bytes)
        buffer.append(rest.span)
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
    /// The push token is not UTF-8, of no known service, too long, or has a NUL.
    case badPushToken
    /// What follows the byte 0 is no server.
    case badServer(PairingError)
    /// The text of a browser's store is not two hexadecimal numbers with a colon between them.
    case notHexadecimal
    /// The password is not UTF-8.
    case passwordNotUTF8
    /// The password is wrong, or the store damaged.
    case notOpened
}
