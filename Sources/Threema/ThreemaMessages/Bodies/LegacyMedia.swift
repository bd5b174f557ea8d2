internal import SecureMemory

// Image (0x02), of old clients and of gateways:
//
//   offset  length  meaning
//        0      16  blob ID
//       16       4  length of the image
//       20      24  nonce of the blob, which is a box between sender and receiver

/// An image as old clients send it. The file message has replaced it.
public struct LegacyImage: Equatable, Sendable {
    /// The image's place on the media server, 16 bytes.
    public let blobID: BlobID
    /// Length in bytes, without the tag.
    public let size: UInt32
    /// Of the blob, which is sealed with the two identities' message key.
    public let nonce: MessageNonce

    static let count = BlobID.count + 4 + MessageNonce.count

    /// Puts the parts together.
    public init(blobID: BlobID, size: UInt32, nonce: MessageNonce) {
        self.blobID = blobID
        self.size = size
        self.nonce = nonce
    }

    init(decoding bytes: Span<UInt8>) throws(MessageBodyError) {
        guard bytes.count == Self.count else { throw .wrongLength(expected: Self.count, actual: bytes.count) }
        blobID = BlobID(bytes.publicBytes(0..<16))
        size = UInt32(bytes.littleEndian(at: 16, width: 4))
        nonce = MessageNonce(bytes.publicBytes(20..<44))
    }

    func encode(into body: inout BodyWriter) throws(MessageBodyError) {
        try body.append(blobID.bytes)
        try body.append(littleEndian: UInt64(size), width: 4)
        try body.append(nonce.bytes)
    }
}

// Video (0x13), of old clients and of gateways:
//
//   offset  length  meaning
//        0       2  duration in seconds
//        2      16  blob ID of the video
//       18       4  length of the video
//       22      16  blob ID of the thumbnail
//       38       4  length of the thumbnail
//       42      32  key of both

/// A video as old clients send it. The file message has replaced it.
public struct LegacyVideo: Equatable, Sendable {
    /// Length of the video in seconds, as the sender says.
    public let duration: UInt16
    /// The video's place on the media server, 16 bytes.
    public let blobID: BlobID
    /// Length of the video in bytes, without the tag.
    public let size: UInt32
    /// The thumbnail's place on the media server, 16 bytes.
    public let thumbnailBlobID: BlobID
    /// Length of the thumbnail in bytes, without the tag.
    public let thumbnailSize: UInt32
    /// The key of video and thumbnail, 32 bytes.
    public let key: EnclosedKey

    static let count = 2 + 2 * (BlobID.count + 4) + EnclosedKey.count

    /// Puts the parts together.
    public init(
        duration: UInt16, blobID: BlobID, size: UInt32, thumbnailBlobID: BlobID, thumbnailSize: UInt32,
        key: EnclosedKey
    ) {
        self.duration = duration
        self.blobID = blobID
        self.size = size
        self.thumbnailBlobID = thumbnailBlobID
        self.thumbnailSize = thumbnailSize
        self.key = key
    }

    init(decoding bytes: Span<UInt8>) throws(MessageBodyError) {
        guard bytes.count == Self.count else { throw .wrongLength(expected: Self.count, actual: bytes.count) }
        duration = UInt16(bytes.littleEndian(at: 0, width: 2))
        blobID = BlobID(bytes.publicBytes(2..<18))
        size = UInt32(bytes.littleEndian(at: 18, width: 4))
        thumbnailBlobID = BlobID(bytes.publicBytes(22..<38))
        thumbnailSize = UInt32(bytes.littleEndian(at: 38, width: 4))
        key = EnclosedKey(SecureBytes(copying: bytes.extracting(42..<74)))
    }

    func encode(into body: inout BodyWriter) throws(MessageBodyError) {
        try body.append(littleEndian: UInt64(duration), width: 2)
        try body.append(blobID.bytes)
        try body.append(littleEndian: UInt64(size), width: 4)
        try body.append(thumbnailBlobID.bytes)
        try body.append(littleEndian: UInt64(thumbnailSize), width: 4)
        try body.append(key)
    }
}
