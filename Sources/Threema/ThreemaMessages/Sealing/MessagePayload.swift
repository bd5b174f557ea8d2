internal import SecureMemory
public import Threema

// A message as the chat server takes and delivers it ("message-with-metadata-box"); numbers are little-endian:
//
//   offset  length  meaning
//        0       8  sender
//        8       8  receiver
//       16       8  message ID
//       24       4  created at, Unix seconds
//       28       1  flags
//       29       1  reserved, 0
//       30       2  m, length of the metadata box; 0 for none
//       32      32  nickname, padded with zeros; only for gateway IDs
//       64       m  metadata box: tag (16) ‖ ciphertext
//     64+m      24  nonce, of both boxes
//     88+m       n  message box: tag (16) ‖ ciphertext
//
// Nothing before the boxes is authenticated. The metadata box repeats ID and time.

/// A sealed message with all that the server sees of it.
public struct MessagePayload: Equatable, Sendable {
    /// Who claims to have sent it.
    public var sender: ThreemaID
    /// The ID that the server delivers the message to.
    public var receiver: ThreemaID
    /// Its ID, as the server knows it.
    public var id: MessageID
    /// When it was made, in Unix seconds.
    public var createdAt: UInt32
    /// What server and receiver do with it.
    public var flags: MessageFlags
    /// The sender's nickname in clear text, 32 bytes padded with zeros. Empty but towards gateway IDs.
    public var legacyNickname: [UInt8]
    /// tag ‖ ciphertext; empty without metadata.
    public var metadataBox: [UInt8]
    /// The nonce of both boxes, 24 bytes, which is never used again.
    public var nonce: MessageNonce
    /// tag ‖ ciphertext of the type, the content and the padding.
    public var messageBox: [UInt8]

    /// Bytes before the metadata box.
    static let headerCount = 2 * ThreemaID.count + MessageID.count + 4 + 1 + 1 + 2 + nicknameCount
    /// Length of the nickname in bytes.
    public static let nicknameCount = 32
    /// Most bytes of a payload: the chat server's frames are not longer.
    public static let maxCount = 8192

    /// Puts the parts together.
    /// - Parameter legacyNickname: 32 bytes.
    package init(
        sender: ThreemaID, receiver: ThreemaID, id: MessageID, createdAt: UInt32, flags: MessageFlags,
        legacyNickname: [UInt8], metadataBox: [UInt8], nonce: MessageNonce, messageBox: [UInt8]
    ) {
        precondition(legacyNickname.count == Self.nicknameCount && metadataBox.count <= UInt16.max)
        self.sender = sender
        self.receiver = receiver
        self.id = id
        self.createdAt = createdAt
        self.flags = flags
        self.legacyNickname = legacyNickname
        self.metadataBox = metadataBox
        self.nonce = nonce
        self.messageBox = messageBox
    }

    /// Reads a payload. The reserved byte may have any value.
    /// - Throws: `.tooLong`, `.tooShort`, `.invalidID`.
    public init(decoding bytes: Span<UInt8>) throws(MessagePayloadError) {
        guard bytes.count <= Self.maxCount else { throw .tooLong(limit: Self.maxCount, actual: bytes.count) }
        let shortest = Self.headerCount + MessageNonce.count
        guard bytes.count >= shortest else { throw .tooShort(minimum: shortest, actual: bytes.count) }
        let metadataCount = Int(bytes.littleEndian(at: 30, width: 2))
        let minimum = shortest + metadataCount
        guard bytes.count >= minimum else { throw .tooShort(minimum: minimum, actual: bytes.count) }
        do throws(ThreemaIDError) {
            sender = try ThreemaID(bytes: bytes.extracting(0..<8))
            receiver = try ThreemaID(bytes: bytes.extracting(8..<16))
        } catch {
            throw .invalidID
        }
        id = MessageID(bytes: bytes.extracting(16..<24))
        createdAt = UInt32(bytes.littleEndian(at: 24, width: 4))
        flags = MessageFlags(rawValue: bytes[28])
        legacyNickname = bytes.publicBytes(32..<64)
        let nonceStart = Self.headerCount + metadataCount
        metadataBox = bytes.publicBytes(Self.headerCount..<nonceStart)
        nonce = MessageNonce(bytes.publicBytes(nonceStart..<minimum))
        messageBox = bytes.publicBytes(minimum..<bytes.count)
    }

    /// The bytes for the wire.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encodedCount)
        append(to: &bytes)
        return bytes
    }

    /// Length for the wire in bytes.
    package var encodedCount: Int { Self.headerCount + metadataBox.count + MessageNonce.count + messageBox.count }

    /// Appends the bytes for the wire.
    package func append(to bytes: inout [UInt8]) {
        bytes += sender.text.utf8
        bytes += receiver.text.utf8
        bytes.append(littleEndian: id.value, width: MessageID.count)
        bytes.append(littleEndian: UInt64(createdAt), width: 4)
        bytes += [flags.rawValue, 0]
        bytes.append(littleEndian: UInt64(metadataBox.count), width: 2)
        bytes += legacyNickname
        bytes += metadataBox
        bytes += nonce.bytes
        bytes += messageBox
    }
}

/// Why bytes are no payload.
public enum MessagePayloadError: Error, Equatable, Sendable {
    case tooShort(minimum: Int, actual: Int)
    case tooLong(limit: Int, actual: Int)
    /// Sender or receiver is not an ID.
    case invalidID
}
