internal import Encodings
internal import SecureMemory

//   field  type     meaning
//       1  fixed64  id, little endian
//       2  string   contentType
//       3  bytes    key, 64 bytes

/// AttachmentPointer: where an attachment is, and its key.
public struct AttachmentPointer: Sendable {
    /// The server's id, in decimal in URLs.
    public var id: UInt64?
    /// The MIME type as the sender gives it; nil if it is not written.
    public var contentType: String?
    /// Opens the attachment; nil if it is not written.
    public var key: AttachmentKey?

    /// A pointer of given fields; nil for those that are not written.
    public init(id: UInt64? = nil, contentType: String? = nil, key: AttachmentKey? = nil) {
        self.id = id
        self.contentType = contentType
        self.key = key
    }

    init(parsing message: Span<UInt8>) throws(ContentError) {
        var pointer = AttachmentPointer()
        try ProtobufWire.readContent(message) { field throws(ContentError) in
            switch field.number {
            case 1:
                guard case .fixed64(_, let id) = field, pointer.id == nil else { throw .malformed }
                pointer.id = id
            case 2: try field.set(&pointer.contentType, in: message)
            case 3:
                let range = try field.range
                guard pointer.key == nil else { throw .malformed }
                guard let key = AttachmentKey(SecureBytes(copying: message.extracting(range))) else {
                    throw .wrongKeyLength(range.count)
                }
                pointer.key = key
            default: break
            }
        }
        self = pointer
    }

    func encoded() -> SecureBytes {
        var writer = ContentWriter()
        writer.append(fixed: id, 1)
        writer.append(contentType, 2)
        writer.append(key?.held, 3)
        return writer.finish()
    }
}
