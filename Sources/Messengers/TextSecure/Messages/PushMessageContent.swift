internal import Encodings
public import SecureMemory

//   field  type                        meaning
//       1  string                      body
//       2  repeated AttachmentPointer  attachments
//       3  GroupContext                group
//       4  uint32                      flags: 1 end of the session

/// PushMessageContent: what one person writes to another.
public struct PushMessageContent: Sendable {
    /// The flag that ends a session.
    public static let endSession: UInt32 = 1

    /// The text. An empty one is not the same as none.
    public var body: String?
    /// Attachments, which are on a server of their own.
    public var attachments: [AttachmentPointer]
    /// The group that the message is written to.
    public var group: GroupContext?
    /// Bits, of which `endSession` is known; nil if they are not written.
    public var flags: UInt32?

    /// A message of given fields; nil for those that are not written.
    public init(
        body: String? = nil, attachments: [AttachmentPointer] = [], group: GroupContext? = nil, flags: UInt32? = nil
    ) {
        self.body = body
        self.attachments = attachments
        self.group = group
        self.flags = flags
    }

    /// Whether the sender ends the session.
    public var endsSession: Bool { (flags ?? 0) & Self.endSession != 0 }

    /// Reads a message.
    /// - Parameter message: at most `ContentLimits.count` bytes.
    /// - Throws: `ContentError`.
    public init(parsing message: Span<UInt8>) throws(ContentError) {
        var content = PushMessageContent()
        try ProtobufWire.readContent(message) { field throws(ContentError) in
            switch field.number {
            case 1: try field.set(&content.body, in: message)
            case 2:
                guard content.attachments.count < ContentLimits.elements else {
                    throw .tooMany(limit: ContentLimits.elements)
                }
                content.attachments.append(try AttachmentPointer(parsing: message.extracting(try field.range)))
            case 3:
                guard content.group == nil else { throw .malformed }
                content.group = try GroupContext(parsing: message.extracting(try field.range))
            case 4: try field.set(&content.flags)
            default: break
            }
        }
        self = content
    }

    /// The message as bytes, fields in the order of their numbers. It holds the keys of the attachments.
    public func encoded() -> SecureBytes {
        var writer = ContentWriter()
        writer.append(body, 1)
        for attachment in attachments { writer.append(attachment.encoded(), 2) }
        if let group { writer.append(group.encoded(), 3) }
        writer.append(flags.map(UInt64.init), 4)
        return writer.finish()
    }
}
