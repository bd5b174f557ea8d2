internal import Encodings
internal import Primitives
internal import SecureMemory
internal import Threema
public import ThreemaMessages

// The ID of a group call: BLAKE2b-256 without a key, salt "i", personal "3ma-call", over
//
//   offset  length  meaning
//        0       8  creator of the group
//        8       8  group ID
//       16       1  protocol version
//       17      32  call key (GCK)
//       49       n  address of the server, UTF-8
//
// The call key makes the ID unpredictable for anybody outside of the group. Android's calls have version 1; iOS has
// hashed version 0, so the version of the start message counts and not a constant.

/// The ID of a group call, under which its server knows it.
public struct GroupCallID: Hashable, Sendable, CustomStringConvertible {
    /// Length in bytes.
    public static let count = 32

    /// The 32 bytes.
    public let bytes: [UInt8]

    /// - Parameter bytes: 32 bytes.
    public init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.count)
        self.bytes = bytes
    }

    /// Computes the ID of a call.
    /// - Parameter start: what told the group that the call has begun.
    /// - Throws: `.unknownVersion` for a version past 255, which has no place in the ID.
    public init(of start: GroupCallStart, in group: GroupIdentity) throws(GroupCallError) {
        guard let version = UInt8(exactly: start.protocolVersion) else { throw .unknownVersion(start.protocolVersion) }
        let url = Array(start.serverURL.utf8)
        var message = SecureBuffer(capacity: 17 + EnclosedKey.count + url.count)
        message.append(group.creator.bytes.span)
        message.append(group.id.bytes.span)
        message.append(version)
        message.append(start.key.bytes)
        message.append(url.span)
        bytes = message.finish().withBytes { BLAKE2b.hash($0, salt: "i", personal: CallKeys.personal) }
    }

    /// 64 lower-case hexadecimal digits.
    public var description: String { Hex.encode(bytes) }
}

/// Why a group call cannot be computed with.
public enum GroupCallError: Error, Equatable, Sendable {
    /// No version of the protocol that this library knows.
    case unknownVersion(UInt32)
}
