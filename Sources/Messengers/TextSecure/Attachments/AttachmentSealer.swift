internal import Primitives
import SecureMemory

// An attachment as it is uploaded:
//
//   offset  length  meaning
//        0      16  IV
//       16    16·n  AES-256-CBC with PKCS#7 padding, n ≥ 1
//   end-32      32  HMAC-SHA-256(MAC key, all before), whole

/// Lengths of sealed attachments, in bytes, from those of the files.
public enum AttachmentBlob {
    static let macCount = SHA256.count
    static let overhead = Legacy.PaddedCBC.ivCount + macCount
    /// Shortest blob in bytes: of an empty file, or of one of up to 15 bytes.
    public static let minCount = overhead + Legacy.PaddedCBC.blockCount
    /// Longest file that is sealed or opened, in bytes: 4 GiB.
    public static let maxFileCount: Int64 = 4 << 30
    static let maxCount = maxFileCount + Int64(minCount)

    /// Length in bytes of the blob of a file.
    /// - Parameter fileCount: 0 to `maxFileCount`.
    public static func count(fileCount: Int64) -> Int64 {
        let block = Int64(Legacy.PaddedCBC.blockCount)
        return (fileCount / block + 1) * block + Int64(overhead)
    }
}

/// Seals a file piece by piece in constant memory: write `beginning`, then what `seal` returns for each piece, then what
/// `finish` returns. Pieces have any length.
public struct AttachmentSealer: ~Copyable {
    /// The first bytes of the blob: the IV, 16 bytes.
    public let beginning: [UInt8]
    private let key: SecureBytes
    private var iv: [UInt8]
    private var mac: HMACSHA256Stream
    private var fileCount: Int64 = 0
    /// Bytes that do not fill a block yet.
    private var rest = SecureBuffer(capacity: Legacy.PaddedCBC.blockCount)

    /// Begins a blob.
    /// - Parameter key: a fresh one: it never seals a second file.
    public init(key: AttachmentKey) { self.init(key: key, iv: Random.bytes(Legacy.PaddedCBC.ivCount)) }

    package init(key: AttachmentKey, iv: [UInt8]) {
        precondition(iv.count == Legacy.PaddedCBC.ivCount)
        beginning = iv
        self.iv = iv
        self.key = key.encryptionKey
        mac = HMACSHA256Stream(key: key.macKey)
        mac.update(iv.span)
    }

    /// Encrypts the next bytes of the file.
    /// - Returns: the next bytes of the blob, none if no block is full yet.
    /// - Throws: `.tooLong` for a file that could not be opened again.
    public mutating func seal(_ piece: Span<UInt8>) throws(AttachmentError) -> [UInt8] {
        fileCount += Int64(piece.count)
        guard fileCount <= AttachmentBlob.maxFileCount else { throw .tooLong(limit: AttachmentBlob.maxFileCount) }
        let whole = (rest.count + piece.count) / Legacy.PaddedCBC.blockCount * Legacy.PaddedCBC.blockCount
        guard whole > 0 else {
            rest.append(piece)
            return []
        }
        let used = whole - rest.count
        var blocks = SecureBuffer(capacity: whole)
        rest.withBytes { blocks.append($0) }
        blocks.append(piece.extracting(0..<used))
        rest.removeAll()
        rest.append(piece.extracting(used..<piece.count))
        let sealed = blocks.finish().withBytes { Legacy.AESCBC.encrypt($0, key: key, iv: iv) }
        iv = Array(sealed[(whole - Legacy.PaddedCBC.ivCount)...])
        mac.update(sealed.span)
        return sealed
    }

    /// - Returns: the last bytes of the blob: a block and the MAC, 48 bytes. Then the value is spent.
    public mutating func finish() -> [UInt8] {
        let last = rest.withBytes { Legacy.PaddedCBC.seal($0, key: key, iv: iv) }
        mac.update(last.span)
        return last + mac.finish()
    }
}
