internal import Encodings
internal import Primitives
public import SecureMemory

// What the server pushes to a device, through the push service of the platform:
//
//   offset  length  meaning
//        0       1  version 01
//        1      16  IV
//       17    16·n  AES-256-CBC with PKCS#7 padding: IncomingPushMessageSignal, n ≥ 1
//   end-10      10  HMAC-SHA-256(MAC key, all before), its first 10 bytes
//
// As text: Base64 without padding. Through Apple's push service: JSON, whose member m has that text.

/// Sealing and opening of push payloads.
public enum PushPayload {
    /// The first byte of a payload; no other version exists.
    public static let version: UInt8 = 1
    /// Shortest payload in bytes: with one block of ciphertext.
    public static let minCount = overhead + Legacy.PaddedCBC.blockCount
    /// Longest payload that is opened, in bytes.
    public static let maxCount = 1024 * 1024
    private static let ivRange = 1..<1 + Legacy.PaddedCBC.ivCount
    private static let macCount = 10
    private static let overhead = ivRange.upperBound + macCount

    /// Seals a signal under a fresh IV.
    /// - Parameter signal: at most `maxCount` less 43 bytes.
    public static func seal(_ signal: Span<UInt8>, key: SignalingKey) -> [UInt8] {
        seal(signal, key: key, iv: Random.bytes(Legacy.PaddedCBC.ivCount))
    }

    package static func seal(_ signal: Span<UInt8>, key: SignalingKey, iv: [UInt8]) -> [UInt8] {
        var payload = [version] + iv
        payload += Legacy.PaddedCBC.seal(signal, key: key.encryptionKey, iv: iv)
        payload += mac(payload.span, key)
        return payload
    }

    /// Opens a payload. Nothing is decrypted before the MAC holds.
    /// - Returns: an IncomingPushMessageSignal, which is not parsed yet.
    /// - Throws: `.tooShort`, `.tooLong`, `.unknownVersion`, `.wrongLength`, `.notAuthentic`, in this order.
    public static func open(_ payload: Span<UInt8>, key: SignalingKey) throws(PushPayloadError) -> SecureBytes {
        guard payload.count >= minCount else { throw .tooShort(payload.count) }
        guard payload.count <= maxCount else { throw .tooLong(limit: maxCount) }
        guard payload[0] == version else { throw .unknownVersion(payload[0]) }
        guard (payload.count - overhead).isMultiple(of: Legacy.PaddedCBC.blockCount) else {
            throw .wrongLength(payload.count)
        }
        let end = payload.count - macCount
        let expected = mac(payload.extracting(0..<end), key)
        guard ConstantTime.areEqual(expected.span, payload.extracting(end..<payload.count)) else {
            throw .notAuthentic
        }
        let opened = Legacy.PaddedCBC.open(
            payload.extracting(ivRange.upperBound..<end), key: key.encryptionKey,
            iv: payload.extracting(ivRange).revealBytes())
        guard let opened else { throw .notAuthentic }
        return opened
    }

    /// A payload as it is sent to the push service: Base64 without padding.
    public static func text(_ payload: [UInt8]) -> String { Base64.encodeUnpadded(payload.span) }

    /// Reads a payload from Base64, with padding or without, in one line or more; or from the JSON that Apple's push
    /// service delivers, an object whose member `m` is such a text. Its other members, what the device shows, are ignored.
    /// - Returns: nil for other text, and for one of more than twice the longest payload.
    public static func payload(text: String) -> [UInt8]? {
        guard text.utf8.count <= 2 * maxCount else { return nil }
        // No Base64 has a brace.
        guard text.contains("{") else { return LenientBase64.decodePublic(text) }
        let limits = JSONScanner.Limits(depth: 8, values: 1000)
        guard let json = try? JSONScanner.parse(text.utf8.span, limits: limits), let payload = json["m"]?.string else {
            return nil
        }
        return LenientBase64.decodePublic(payload)
    }

    private static func mac(_ bytes: Span<UInt8>, _ key: SignalingKey) -> [UInt8] {
        Array(key.macKey.withBytes { HMACSHA256.authenticate(bytes, key: $0) }[..<macCount])
    }
}

/// Why a payload was not opened.
public enum PushPayloadError: Error, Equatable, Sendable {
    /// Fewer than 43 bytes; this many.
    case tooShort(Int)
    /// More bytes than allowed.
    case tooLong(limit: Int)
    /// The first byte is not 01.
    case unknownVersion(UInt8)
    /// The ciphertext is not a number of whole blocks; length of the payload.
    case wrongLength(Int)
    /// Another key, or altered bytes. A wrong padding is the same error.
    case notAuthentic
}
