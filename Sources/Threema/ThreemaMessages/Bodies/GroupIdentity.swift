internal import Encodings
internal import SecureMemory
public import Threema

/// The 8 bytes that tell the groups of one creator apart.
public struct GroupID: Hashable, Sendable, CustomStringConvertible {
    /// Length in bytes.
    public static let count = 8

    /// The 8 bytes, in the order of the wire.
    public let bytes: [UInt8]

    /// - Parameter bytes: 8 bytes.
    public init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.count)
        self.bytes = bytes
    }

    /// An ID for a new group.
    public static func random() -> GroupID { GroupID(Random.bytes(count)) }

    /// 16 lower-case hexadecimal digits.
    public var description: String { Hex.encode(bytes) }
}

/// A group. Its ID alone names none: two creators may have drawn the same.
public struct GroupIdentity: Hashable, Sendable {
    /// Who made the group and alone decides about it.
    public let creator: ThreemaID
    /// Tells the groups of that creator apart.
    public let id: GroupID

    /// Puts the two together.
    public init(creator: ThreemaID, id: GroupID) {
        self.creator = creator
        self.id = id
    }
}

// Containers of group messages, before the body:
//
//   creator container:    0   8  group ID
//   member container:     0   8  creator
//                         8   8  group ID

extension GroupID {
    init(decoding bytes: Span<UInt8>) throws(MessageBodyError) {
        guard bytes.count >= Self.count else { throw .tooShort(minimum: Self.count, actual: bytes.count) }
        self.init(bytes.publicBytes(0..<Self.count))
    }
}

extension GroupIdentity {
    package static let count = ThreemaID.count + GroupID.count

    package init(decoding bytes: Span<UInt8>) throws(MessageBodyError) {
        guard bytes.count >= Self.count else { throw .tooShort(minimum: Self.count, actual: bytes.count) }
        guard let creator = try? ThreemaID(bytes: bytes.extracting(0..<ThreemaID.count)) else { throw .invalidID }
        self.init(creator: creator, id: GroupID(bytes.publicBytes(ThreemaID.count..<Self.count)))
    }

    /// 16 bytes.
    package var bytes: [UInt8] { creator.bytes + id.bytes }
}
