internal import Primitives
public import SecureMemory

/// The first of two passes over a blob: it checks the MAC over the whole blob and decrypts nothing.
///
/// Give it all bytes of the blob, piece by piece. If `finish` returns, read the blob once more, for `AttachmentOpener`.
public struct AttachmentCheck: ~Copyable {
    private let key: AttachmentKey
    private let count: Int64
    private var bytes: AuthenticatedBytes

    /// - Parameter count: length of the blob in bytes.
    /// - Throws: `.tooShort`, `.tooLong`, `.wrongLength`.
    public init(key: AttachmentKey, count: Int64) throws(AttachmentError) {
        guard count >= AttachmentBlob.minCount else { throw .tooShort }
        guard count <= AttachmentBlob.maxCount else { throw .tooLong(limit: AttachmentBlob.maxFileCount) }
        guard (count - Int64(AttachmentBlob.overhead)).isMultiple(of: Int64(Legacy.PaddedCBC.blockCount)) else {
            throw .wrongLength
        }
        self.key = key
        self.count = count
        bytes = AuthenticatedBytes(key, count: count)
    }

    /// Takes the next bytes of the blob.
    /// - Throws: `.wrongLength` if there are more than `count`.
    public mutating func read(_ piece: Span<UInt8>) throws(AttachmentError) { try bytes.read(piece) { _ in } }

    /// Compares the MAC.
    /// - Returns: the second pass.
    /// - Throws: `.wrongLength` if there were fewer bytes than `count`; `.notAuthentic`.
    public mutating func finish() throws(AttachmentError) -> AttachmentOpener {
        try bytes.finish()
        return AttachmentOpener(key: key, count: count)
    }
}

/// The second pass over a blob, which decrypts it. Only `AttachmentCheck` makes it.
///
/// Write the plaintext to a temporary file, and give that its name after `finish` has returned: the file of the blob may
/// have changed between the passes, so the MAC is checked again.
public struct AttachmentOpener: ~Copyable {
    private let key: SecureBytes
    private var bytes: AuthenticatedBytes
    private var iv: [UInt8] = []
    /// Ciphertext that does not fill a block yet, or is the last block, which has the padding.
    private var rest: [UInt8] = []

    fileprivate init(key: AttachmentKey, count: Int64) {
        self.key = key.encryptionKey
        bytes = AuthenticatedBytes(key, count: count)
    }

    /// Takes the next bytes of the blob.
    /// - Returns: the next bytes of the file, which can be none.
    /// - Throws: `.wrongLength` if there are more than in the first pass.
    public mutating func open(_ piece: Span<UInt8>) throws(AttachmentError) -> SecureBytes {
        var ciphertext = rest
        try bytes.read(piece) { ciphertext += $0.revealBytes() }
        if iv.isEmpty {
            guard ciphertext.count >= Legacy.PaddedCBC.ivCount else { return keep(ciphertext) }
            iv = Array(ciphertext[..<Legacy.PaddedCBC.ivCount])
            ciphertext.removeFirst(Legacy.PaddedCBC.ivCount)
        }
        // The last block is kept back.
        let whole = max(0, ciphertext.count - 1) / Legacy.PaddedCBC.blockCount * Legacy.PaddedCBC.blockCount
        guard whole > 0 else { return keep(ciphertext) }
        let blocks = ciphertext.span.extracting(0..<whole)
        let opened = Legacy.AESCBC.decrypt(blocks, key: key, iv: iv)
        iv = Array(ciphertext[whole - Legacy.PaddedCBC.ivCount..<whole])
        rest = Array(ciphertext[whole...])
        return opened
    }

    /// Ends the file.
    /// - Returns: its last bytes, 0 to 15. Then the value is spent.
    /// - Throws: `.wrongLength`, `.notAuthentic`: then delete what was written.
    public mutating func finish() throws(AttachmentError) -> SecureBytes {
        try bytes.finish()
        guard let last = Legacy.PaddedCBC.open(rest.span, key: key, iv: iv) else { throw .notAuthentic }
        return last
    }

    private mutating func keep(_ ciphertext: [UInt8]) -> SecureBytes {
        rest = ciphertext
        return SecureBytes(count: 0) { _ in }
    }
}

/// The bytes of a blob on their way: tells the MAC from what it covers.
private struct AuthenticatedBytes: ~Copyable {
    private var mac: HMACSHA256Stream
    /// Bytes that the MAC covers and that are still to come.
    private var covered: Int64
    private var received: [UInt8] = []

    init(_ key: AttachmentKey, count: Int64) {
        mac = HMACSHA256Stream(key: key.macKey)
        covered = count - Int64(AttachmentBlob.macCount)
    }

    /// - Parameter body: is given the part that the MAC covers.
    mutating func read(_ piece: Span<UInt8>, _ body: (Span<UInt8>) -> Void) throws(AttachmentError) {
        let count = Int(min(covered, Int64(piece.count)))
        guard piece.count - count <= AttachmentBlob.macCount - received.count else { throw .wrongLength }
        let part = piece.extracting(0..<count)
        mac.update(part)
        covered -= Int64(count)
        received += piece.extracting(count..<piece.count).revealBytes()
        body(part)
    }

    mutating func finish() throws(AttachmentError) {
        guard covered == 0, received.count == AttachmentBlob.macCount else { throw .wrongLength }
        let expected = mac.finish()
        guard ConstantTime.areEqual(expected.span, received.span) else { throw .notAuthentic }
    }
}

/// Why an attachment was not opened.
public enum AttachmentError: Error, Equatable, Sendable {
    /// Fewer than 64 bytes.
    case tooShort
    /// The file would have more bytes than allowed.
    case tooLong(limit: Int64)
    /// The ciphertext is not a number of whole blocks, or there are more or fewer bytes than announced.
    case wrongLength
    /// Another key, or altered bytes. A wrong padding is the same error.
    case notAuthentic
}
