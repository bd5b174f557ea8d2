internal import SecureMemory

// Set profile picture (0x18), and after a group ID set group picture (0x50):
//
//   offset  length  meaning
//        0      16  blob ID
//       16       4  length of the encrypted blob, with its tag
//       20      32  key

/// A picture of a person or a group, on a media server.
public struct PictureMessage: Equatable, Sendable {
    /// The picture's place on the media server, 16 bytes.
    public let blobID: BlobID
    /// Length of the encrypted blob in bytes, 16 more than the JPEG.
    public let encryptedSize: UInt32
    /// The key of the picture, 32 bytes.
    public let key: EnclosedKey

    static let count = BlobID.count + 4 + EnclosedKey.count

    /// Puts the parts together.
    public init(blobID: BlobID, encryptedSize: UInt32, key: EnclosedKey) {
        self.blobID = blobID
        self.encryptedSize = encryptedSize
        self.key = key
    }

    /// - Throws: `.wrongLength`.
    package init(decoding bytes: Span<UInt8>) throws(MessageBodyError) {
        guard bytes.count == Self.count else { throw .wrongLength(expected: Self.count, actual: bytes.count) }
        blobID = BlobID(bytes.publicBytes(0..<16))
        encryptedSize = UInt32(bytes.littleEndian(at: 16, width: 4))
        key = EnclosedKey(SecureBytes(copying: bytes.extracting(20..<52)))
    }

    func encode(into body: inout BodyWriter) throws(MessageBodyError) {
        try body.append(blobID.bytes)
        try body.append(littleEndian: UInt64(encryptedSize), width: 4)
        try body.append(key)
    }
}
