internal import Primitives
public import Ratchet
public import SecureMemory

// offset  length  meaning
//      0      16  AES-128 key
//     16      20  HMAC-SHA-1 key

/// The key of a client's own database, 36 bytes. It is only imported: keytool writes nothing under it.
public struct MasterSecret: Sendable {
    /// Length in bytes.
    public static let count = encryptionCount + macCount
    static let encryptionCount = 16
    static let macCount = Legacy.SHA1.count

    /// Both keys, 36 bytes.
    public let held: HeldKey

    /// - Returns: nil for another length than 36 bytes.
    public init?(_ key: consuming SecureBytes) {
        guard key.count == Self.count else { return nil }
        held = HeldKey(key)
    }

    // What the database holds:
    //
    //   offset  length  meaning
    //        0      16  IV
    //       16    16·n  AES-128-CBC with PKCS#7 padding, n ≥ 1
    //   end-20      20  HMAC-SHA-1(HMAC key, all before)

    /// Longest value that is opened, in bytes.
    public static let maxBlobCount = 16 * 1024 * 1024

    /// Opens a value of the database.
    /// - Throws: `.wrongLength`, `.wrongKeyOrDamaged`.
    public func open(_ blob: Span<UInt8>) throws(ClientStorageError) -> SecureBytes {
        let overhead = Legacy.PaddedCBC.ivCount + Self.macCount
        guard blob.count >= overhead + Legacy.PaddedCBC.blockCount, blob.count <= Self.maxBlobCount,
            (blob.count - overhead).isMultiple(of: Legacy.PaddedCBC.blockCount)
        else { throw .wrongLength(blob.count) }
        let end = blob.count - Self.macCount
        let key = part(Self.encryptionCount..<Self.count)
        let expected = Legacy.HMACSHA1.authenticate(blob.extracting(0..<end), key: key)
        guard ConstantTime.areEqual(expected.span, blob.extracting(end..<blob.count)) else {
            throw .wrongKeyOrDamaged
        }
        let opened = Legacy.PaddedCBC.open(
            blob.extracting(Legacy.PaddedCBC.ivCount..<end), key: part(0..<Self.encryptionCount),
            iv: blob.extracting(0..<Legacy.PaddedCBC.ivCount).revealBytes())
        guard let opened else { throw .wrongKeyOrDamaged }
        return opened
    }

    /// Opens a value that the database holds as text: Base64, with padding or without.
    /// - Throws: `.malformed`, `.wrongLength`, `.wrongKeyOrDamaged`.
    public func open(text: String) throws(ClientStorageError) -> SecureBytes {
        guard text.utf8.count <= 2 * Self.maxBlobCount, let blob = LenientBase64.decodePublic(text) else {
            throw .malformed
        }
        return try open(blob.span)
    }

    private func part(_ range: Range<Int>) -> SecureBytes {
        held.bytes.withBytes { SecureBytes(copying: $0.extracting(range)) }
    }
}

/// Why something of a client's storage was not opened.
public enum ClientStorageError: Error, Equatable, Sendable {
    /// A length that nothing of this form has.
    case wrongLength(Int)
    /// The first two bytes are not 03 01.
    case unknownFormat
    /// Another password, or altered bytes. A wrong padding is the same error.
    case wrongPasswordOrDamaged
    /// Another master secret, or altered bytes.
    case wrongKeyOrDamaged
    /// No XML of preferences, or Base64 that is none.
    case malformed
    /// More bytes than allowed.
    case tooLong(limit: Int)
    /// The preferences have no value of this name.
    case missing(name: String)
}
