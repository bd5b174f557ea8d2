internal import Encodings
internal import SecureMemory

//   field  type               meaning
//       1  bytes              id
//       2  uint32             type: 1 update, 2 deliver, 3 quit
//       3  string             name
//       4  repeated string    members
//       5  AttachmentPointer  avatar

/// GroupContext: the group that a message belongs to.
public struct GroupContext: Sendable {
    /// What a message does with a group.
    public enum Kind: UInt32, Sendable {
        /// It sets name, members and picture.
        case update = 1
        /// It is written to the group.
        case deliver = 2
        /// Its sender leaves the group.
        case quit = 3
    }

    /// Names the group, the same for all members; nil if it is not written.
    public var id: [UInt8]?
    /// The number of a `Kind`, or of one that is not known; nil if it is not written.
    public var type: UInt32?
    /// What members call the group; nil if it is not written.
    public var name: String?
    /// Numbers of members as the sender writes them, unchecked.
    public var members: [String]
    /// Where the group's picture is; nil if it is not written.
    public var avatar: AttachmentPointer?

    /// A group of given fields; nil for those that are not written.
    public init(
        id: [UInt8]? = nil, type: UInt32? = nil, name: String? = nil, members: [String] = [],
        avatar: AttachmentPointer? = nil
    ) {
        self.id = id
        self.type = type
        self.name = name
        self.members = members
        self.avatar = avatar
    }

    /// What the message does; nil if no type or an unknown one is written.
    public var kind: Kind? { type.flatMap(Kind.init) }

    init(parsing message: Span<UInt8>) throws(ContentError) {
        var group = GroupContext()
        try ProtobufWire.readContent(message) { field throws(ContentError) in
            switch field.number {
            case 1:
                guard group.id == nil else { throw .malformed }
                group.id = message.extracting(try field.range).revealBytes()
            case 2: try field.set(&group.type)
            case 3: try field.set(&group.name, in: message)
            case 4: try field.add(to: &group.members, in: message)
            case 5:
                guard group.avatar == nil else { throw .malformed }
                group.avatar = try AttachmentPointer(parsing: message.extracting(try field.range))
            default: break
            }
        }
        self = group
    }

    func encoded() -> SecureBytes {
        var writer = ContentWriter()
        if let id { writer.append(id.span, 1) }
        writer.append(type.map(UInt64.init), 2)
        writer.append(name, 3)
        for member in members { writer.append(member, 4) }
        if let avatar { writer.append(avatar.encoded(), 5) }
        return writer.finish()
    }
}
