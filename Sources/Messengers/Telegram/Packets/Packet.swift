internal import Primitives
public import SecureMemory

// An encrypted packet ("Mobile Protocol: Detailed Description", Encrypted Message):
//
//   offset  length  meaning
//        0       8  key ID
//        8      16  message key: SHA1(the part below without padding)[4:20]
//       24    16·n  AES-256-IGE under keys of authorization key and message key:
//       +0       8  salt
//       +8       8  session ID
//      +16       8  message ID
//      +24       4  sequence number
//      +28       4  L, length of the data
//      +32       L  data
//    +32+L    0–15  random bytes

extension LegacyMTProto1 {
    /// What an encrypted packet contains.
    public struct Content: Equatable, Sendable {
        /// The server's salt of the present time, which a server checks.
        public var salt: UInt64
        /// The session to which the message belongs.
        public var session: UInt64
        /// The message, or the container.
        public var message: Message

        /// Puts the content of a packet together. Any numbers are valid.
        public init(salt: UInt64, session: UInt64, message: Message) {
            (self.salt, self.session, self.message) = (salt, session, message)
        }
    }

    /// A message with its ID and its number.
    public struct Message: Equatable, Sendable {
        /// Names the message in its session.
        public var id: MessageID
        /// Twice the number of content messages before it, plus 1 if it is one itself.
        public var sequence: UInt32
        /// A serialised value, of any length. That of apps has a multiple of 4 bytes.
        public var data: [UInt8]

        /// Puts a message together. Any numbers are valid.
        public init(id: MessageID, sequence: UInt32, data: [UInt8]) {
            (self.id, self.sequence, self.data) = (id, sequence, data)
        }

        /// Whether the receiver has to acknowledge it.
        public var isContent: Bool { sequence & 1 == 1 }
    }

    /// Seals and opens encrypted packets of the old version.
    public enum Packet {
        /// Length of the smallest packet in bytes.
        public static let minCount = headerCount + innerHeaderCount
        /// Longest packet that is opened, in bytes: 16 MiB. Our choice; the protocol has no limit.
        public static let maxCount = 1 << 24
        /// Longest data of a message that is sealed, in bytes.
        static let maxDataCount = maxCount - minCount - maxPadding
        private static let headerCount = KeyID.count + messageKeyCount
        private static let innerHeaderCount = 32
        private static let maxPadding = 15

        /// The ID of the key under which a packet is encrypted.
        /// - Throws: `.malformed` if the packet's length is not one of an encrypted packet.
        public static func keyID(of packet: Span<UInt8>) throws(PacketError) -> KeyID {
            guard (minCount...maxCount).contains(packet.count),
                (packet.count - headerCount).isMultiple(of: Legacy.AESIGE.blockCount)
            else { throw .malformed }
            return KeyID(number: packet.number64(at: 0))
        }

        /// Encrypts a packet of the old version.
        /// - Parameter random: draws the padding, up to 15 bytes.
        /// - Throws: `.tooLong`.
        public static func seal(
            _ content: Content, key: borrowing AuthorizationKey, _ direction: Direction,
            random: (Int) -> [UInt8] = Random.bytes
        ) throws(PacketError) -> [UInt8] {
            guard content.message.data.count <= maxDataCount else { throw .tooLong(limit: maxDataCount) }
            var plain: [UInt8] = []
            plain.append(number: content.salt)
            plain.append(number: content.session)
            plain.append(number: content.message.id.number)
            plain.append(number: content.message.sequence)
            plain.append(number: UInt32(content.message.data.count))
            plain += content.message.data
            let messageKey = messageKey(of: plain.span)
            let padding = random(BlockKeys.paddingCount(of: plain.count))
            precondition(padding.count == BlockKeys.paddingCount(of: plain.count))
            plain += padding
            return key.id.bytes + messageKey + blockKeys(key, messageKey: messageKey, direction).encrypt(plain.span)
        }

        /// Decrypts a packet of the old version, and compares its message key.
        /// - Throws: `.malformed`, `.unknownKey`, or `.notAuthentic` for everything that decryption shows: what is
        ///   wrong is not told, because it would help to forge packets.
        public static func open(
            _ packet: Span<UInt8>, key: borrowing AuthorizationKey, _ direction: Direction
        ) throws(PacketError) -> Content {
            let keyID = try keyID(of: packet)
            guard !keyID.isZero, keyID == key.id else { throw .unknownKey(keyID) }
            let messageKey = packet.extracting(KeyID.count..<headerCount).revealBytes()
            let plain = blockKeys(key, messageKey: messageKey, direction)
                .decrypt(packet.extracting(headerCount..<packet.count))
            guard let content = plain.withBytes({ Self.content(of: $0, messageKey) }) else { throw .notAuthentic }
            return content
        }

        private static func content(of plain: Span<UInt8>, _ messageKey: [UInt8]) -> Content? {
            // The length comes from the network: as a 64-bit number it is never negative, and no sum overflows.
            let length = UInt64(plain.number32(at: 28))
            let room = plain.count - innerHeaderCount
            let isLength = length <= UInt64(room) && UInt64(room) - length <= UInt64(maxPadding)
            // The hash is computed in any case, so that the time does not tell what is wrong.
            let end = isLength ? innerHeaderCount + Int(length) : plain.count
            let isKey = ConstantTime.areEqual(
                LegacyMTProto1.messageKey(of: plain.extracting(0..<end)).span, messageKey.span)
            guard isLength, isKey else { return nil }
            return Content(
                salt: plain.number64(at: 0), session: plain.number64(at: 8),
                message: Message(
                    id: MessageID(plain.number64(at: 16)), sequence: plain.number32(at: 24),
                    data: plain.extracting(innerHeaderCount..<end).revealBytes()))
        }
    }
}

/// Why a packet was not made or opened.
public enum PacketError: Error, Equatable, Sendable {
    /// It has not the length or the form of such a packet.
    case malformed
    /// It is not encrypted with the given key. Zero: it is not encrypted.
    case unknownKey(KeyID)
    /// Length, padding or message key are wrong: changed bytes, another key, or the other direction.
    case notAuthentic
    /// The data has more bytes than `limit`.
    case tooLong(limit: Int)
}
