internal import SecureMemory

// A packet that is not encrypted, for the creation of keys and for the time ("Mobile Protocol: Detailed Description",
// Unencrypted Message). The page's prose gives the length 32 bytes; its diagram and all apps give it 4.
//
//   offset  length  meaning
//        0       8  0: no key
//        8       8  message ID
//       16       4  L, length of the data
//       20       L  data

/// A packet that is not encrypted.
public struct PlainPacket: Equatable, Sendable {
    /// Length of the header in bytes.
    public static let headerCount = 20
    /// Longest packet that is read, in bytes: 1 MiB. Our choice; the messages of key creation have less than 1 KiB.
    public static let maxCount = 1 << 20

    /// Names the message. Any number: a published sample of a client has one that is not divisible by 4.
    public var id: MessageID
    /// A serialised value, which anybody may have written.
    public var data: [UInt8]

    /// Puts a packet together. Any ID is valid.
    public init(id: MessageID, data: [UInt8]) {
        (self.id, self.data) = (id, data)
    }

    /// The bytes of the packet.
    /// - Throws: `.tooLong`.
    public func encoded() throws(PacketError) -> [UInt8] {
        guard data.count <= Self.maxCount - Self.headerCount else {
            throw .tooLong(limit: Self.maxCount - Self.headerCount)
        }
        var packet = KeyID.zero.bytes
        packet.append(number: id.number)
        packet.append(number: UInt32(data.count))
        return packet + data
    }

    /// Reads a packet.
    /// - Throws: `.malformed`; `.unknownKey` for an encrypted packet.
    public init(decoding packet: Span<UInt8>) throws(PacketError) {
        guard (Self.headerCount...Self.maxCount).contains(packet.count) else { throw .malformed }
        let keyID = KeyID(number: packet.number64(at: 0))
        guard keyID.isZero else { throw .unknownKey(keyID) }
        guard Int(packet.number32(at: 16)) == packet.count - Self.headerCount else { throw .malformed }
        id = MessageID(packet.number64(at: 8))
        data = packet.extracting(Self.headerCount..<packet.count).revealBytes()
    }
}
