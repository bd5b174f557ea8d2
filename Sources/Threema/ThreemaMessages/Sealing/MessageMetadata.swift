public import Encodings
internal import Primitives
internal import SecureMemory

/// What the metadata box of a message holds, as Protocol Buffers:
///
///     1  bytes    padding, so that it and the nickname have 16 bytes at least
///     2  string   nickname; absent: as before, empty: removed
///     3  fixed64  message ID
///     4  uint64   created at, Unix milliseconds
public struct MessageMetadata: Equatable, Sendable {
    /// What the message says about the sender's nickname.
    public enum Nickname: Equatable, Sendable {
        /// It is as it was.
        case unchanged
        /// The sender has none any more.
        case removed
        /// It is this text, which is not empty.
        case set(String)
    }

    /// What the message says about the sender's nickname.
    public var nickname: Nickname
    /// Has to be the ID of the payload, or the server has changed that.
    public var messageID: MessageID
    /// When the message was made.
    public var createdAt: Timestamp

    /// Fewest bytes of padding and nickname.
    static let minimumPaddedCount = 16

    /// Puts the parts together.
    public init(nickname: Nickname, messageID: MessageID, createdAt: Timestamp) {
        self.nickname = nickname
        self.messageID = messageID
        self.createdAt = createdAt
    }

    /// The bytes of field 2; nil to leave it out.
    private var nicknameField: [UInt8]? {
        switch nickname {
        case .unchanged: nil
        case .removed: []
        case .set(let text): Array(text.utf8)
        }
    }

    /// As Protocol Buffers. Timestamps before 1970 become 0. Nickname, ID and time are in ordinary memory anyway, and
    /// guarded memory would take longer than all the rest of a message.
    func encoded() -> [UInt8] {
        let name = nicknameField
        let padding = [UInt8](repeating: 0, count: max(0, Self.minimumPaddedCount - (name?.count ?? 0)))
        let milliseconds = UInt64(max(0, createdAt.milliseconds))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64)
        if !padding.isEmpty { ProtobufWire.append(padding.span, number: 1, to: &bytes) }
        if let name { ProtobufWire.append(name.span, number: 2, to: &bytes) }
        ProtobufWire.appendFixed64(messageID.value, number: 3, to: &bytes)
        ProtobufWire.append(milliseconds, number: 4, to: &bytes)
        return bytes
    }

    /// Reads the fields; unknown ones are skipped, and of one that is repeated the last counts. What is absent is 0.
    /// - Throws: `.metadata` if it is malformed, a field has another type, or the nickname is not UTF-8.
    init(decoding bytes: Span<UInt8>) throws(MessageError) {
        var nickname = Nickname.unchanged
        var id: UInt64 = 0
        var milliseconds: UInt64 = 0
        var position = 0
        do throws(ProtobufError) {
            while let field = try ProtobufWire.next(bytes, at: &position) {
                switch field {
                case .bytes(number: 2, let range):
                    guard let text = bytes.extracting(range).text() else { throw .malformed }
                    nickname = text.isEmpty ? .removed : .set(text)
                case .fixed64(number: 3, let value): id = value
                case .varint(number: 4, let value): milliseconds = value
                case .varint(let number, _), .bytes(let number, _), .fixed64(let number, _), .fixed32(let number, _):
                    guard !(2...4).contains(number) else { throw .malformed }
                }
            }
        } catch {
            throw .metadata
        }
        self.nickname = nickname
        messageID = MessageID(id)
        createdAt = Timestamp(milliseconds: Int64(clamping: milliseconds))
    }

    /// Encrypts it.
    /// - Returns: tag ‖ ciphertext.
    package func seal(nonce: MessageNonce, keys: borrowing ContactKeys) -> [UInt8] {
        Box.seal(encoded().span, nonce: nonce.bytes, sharedKey: keys.metadata)
    }

    /// Decrypts and reads a metadata box.
    /// - Throws: `.metadataNotAuthentic`, `.metadata`.
    package static func open(
        _ box: [UInt8], nonce: MessageNonce, keys: borrowing ContactKeys
    ) throws(MessageError) -> MessageMetadata {
        let plaintext: [UInt8]
        do throws(AuthenticationError) {
            plaintext = try Box.openPublic(box.span, nonce: nonce.bytes, sharedKey: keys.metadata)
        } catch {
            throw .metadataNotAuthentic
        }
        return try MessageMetadata(decoding: plaintext.span)
    }
}
