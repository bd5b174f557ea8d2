internal import Encodings
internal import SecureMemory
internal import Threema
internal import ThreemaMedia
internal import ThreemaMessages

// What the store knows of a file that is on its way to the media server, one value for each message, by the message's ID.
// The file is beside the store, sealed: a copy, so that each try sends the same bytes under its key.
//
//   offset  length  meaning
//        0       1  what the server has: 1 the file, 2 the thumbnail, 3 both, 0 nothing
//        1      16  tag of the sealed file
//       17       2  r, little-endian: the number of receivers
//       19      8r  their IDs
//    19+8r       4  t, little-endian
//    23+8r       t  the thumbnail
//  23+8r+t       …  the message, as in a message box: see MessageContainer. It has the key, and zeros for the blob IDs
//                   that the server has not given yet

/// A file that is being uploaded, and the message that will refer to it.
struct Upload: Equatable {
    private(set) var hasFile = false
    private(set) var hasThumbnail = false
    let tag: [UInt8]
    let receivers: [ThreemaID]
    let thumbnail: [UInt8]
    /// Nil for a message to one person.
    let group: GroupIdentity?
    private(set) var message: FileMessage

    static let noBlob = BlobID([UInt8](repeating: 0, count: BlobID.count))
    private static let tagEnd = 1 + Blob.overhead

    init(
        _ message: FileMessage, thumbnail: [UInt8], tag: [UInt8], to receivers: [ThreemaID], in group: GroupIdentity?
    ) {
        self.message = message
        self.thumbnail = thumbnail
        self.tag = tag
        self.receivers = receivers
        self.group = group
    }

    var body: MessageBody {
        group.map { .groupChat($0, .file(message)) } ?? .chat(.file(message))
    }

    /// The server has the file.
    mutating func uploadedFile(_ blob: BlobID) {
        message.blobID = blob
        hasFile = true
    }

    /// The server has the thumbnail.
    mutating func uploadedThumbnail(_ blob: BlobID) {
        message.thumbnail?.blobID = blob
        hasThumbnail = true
    }

    /// - Throws: `MessageBodyError` for a message that is too long.
    func encoded() throws -> SecureBytes {
        let container = try body.container(randomPadding: 1)
        var buffer = SecureBuffer(
            capacity: Self.tagEnd + 6 + receivers.count * ThreemaID.count + thumbnail.count + container.count)
        buffer.append((hasFile ? 1 : 0) | (hasThumbnail ? 2 : 0))
        buffer.append(tag.span)
        var clear: [UInt8] = []
        clear.append(littleEndian: UInt64(receivers.count), width: 2)
        for receiver in receivers { clear += receiver.bytes }
        clear.append(littleEndian: UInt64(thumbnail.count), width: 4)
        buffer.append(clear.span)
        buffer.append(thumbnail.span)
        buffer.append(container)
        return buffer.finish()
    }

    /// - Returns: nil for anything but what `encoded` makes.
    init?(decoding bytes: Span<UInt8>) {
        guard bytes.count >= Self.tagEnd + 2, bytes[0] <= 3 else { return nil }
        hasFile = bytes[0] & 1 != 0
        hasThumbnail = bytes[0] & 2 != 0
        tag = bytes.extracting(1..<Self.tagEnd).revealBytes()
        var place = Self.tagEnd + 2
        let count = Int(bytes.littleEndian(at: Self.tagEnd, width: 2))
        let end = place + count * ThreemaID.count
        guard bytes.count >= end + 4, let receivers = [ThreemaID](decoding: bytes.extracting(place..<end)) else {
            return nil
        }
        self.receivers = receivers
        place = end
        let length = Int(bytes.littleEndian(at: place, width: 4))
        place += 4
        guard bytes.count - place >= length else { return nil }
        thumbnail = bytes.extracting(place..<place + length).revealBytes()
        switch try? MessageBody(container: bytes.extracting(place + length..<bytes.count)) {
        case .chat(.file(let file)): (group, message) = (nil, file)
        case .groupChat(let identity, .file(let file)): (group, message) = (identity, file)
        default: return nil
        }
    }
}
