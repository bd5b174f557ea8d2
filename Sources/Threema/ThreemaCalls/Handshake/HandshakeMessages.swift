internal import Encodings
internal import SecureMemory
internal import Threema
internal import ThreemaMessages

// Messages between two participants, as Protocol Buffers. Every envelope may have padding, which is ignored.
//
//     Hello envelope   1  bytes  padding
//                      2  Hello          1  string  identity
//                                        2  string  nickname
//                                        3  bytes   public call key (PCK), 32 bytes
//                                        4  bytes   challenge (PCCK), 16 bytes
//     Auth envelope    1  bytes  padding
//                      2  Auth           1  bytes   the receiver's PCK, as in its Hello
//                                        2  bytes   the receiver's PCCK, as in its Hello
//                                        3  media keys of the sender, see `MediaKey`; at least one
//
// An envelope with another field holds something that this library does not know, such as the Hello of a guest.

/// What a participant says of itself first.
struct Hello: Equatable {
    static let challengeCount = 16

    let identity: ThreemaID
    let nickname: String
    let publicKey: PublicKey
    /// 16 bytes.
    let challenge: [UInt8]
}

/// What proves an identity, with the media keys of its participant.
struct Auth: Equatable {
    let publicKey: [UInt8]
    let challenge: [UInt8]
    let mediaKeys: [MediaKey]
}

/// Why the plaintext of a message is not one.
public enum CallMessageError: Error, Equatable, Sendable {
    case protobuf
    /// A content that is not known.
    case unknownContent
    /// A field is missing, or has another length or an impossible value. Its number in the message.
    case field(Int)
    /// A name is not UTF-8, or longer than the limit in bytes.
    case nickname
    /// More media keys than a participant has.
    case tooManyKeys
}

extension Hello {
    /// Longest nickname that is read, in bytes. The apps send 32 at most.
    static let maxNicknameBytes = 256

    init(envelope: Span<UInt8>) throws(CallMessageError) {
        let content = try CallEnvelope.content(of: envelope, number: 2)
        let fields = try CallFields(envelope.extracting(content), 4)
        guard let identity = fields.bytes[1].flatMap({ try? ThreemaID(bytes: $0.span) }) else { throw .field(1) }
        let name = fields.bytes[2] ?? []
        guard name.count <= Self.maxNicknameBytes, let nickname = String(validating: name, as: UTF8.self) else {
            throw .nickname
        }
        guard let key = fields.bytes[3].flatMap(PublicKey.init) else { throw .field(3) }
        guard let challenge = fields.bytes[4], challenge.count == Self.challengeCount else { throw .field(4) }
        self.init(identity: identity, nickname: nickname, publicKey: key, challenge: challenge)
    }

    /// The envelope, without padding.
    var envelope: [UInt8] {
        var hello: [UInt8] = []
        ProtobufWire.append(identity.bytes.span, number: 1, to: &hello)
        if !nickname.isEmpty { ProtobufWire.append(Array(nickname.utf8).span, number: 2, to: &hello) }
        ProtobufWire.append(publicKey.bytes.span, number: 3, to: &hello)
        ProtobufWire.append(challenge.span, number: 4, to: &hello)
        var envelope: [UInt8] = []
        ProtobufWire.append(hello.span, number: 2, to: &envelope)
        return envelope
    }
}

extension Auth {
    /// Most media keys that are read: the one in use, and one that is being distributed.
    static let maxMediaKeys = 2

    init(envelope: Span<UInt8>) throws(CallMessageError) {
        let content = try CallEnvelope.content(of: envelope, number: 2)
        let message = envelope.extracting(content)
        var (publicKey, challenge): ([UInt8]?, [UInt8]?)
        var mediaKeys: [MediaKey] = []
        var position = 0
        while let field = try CallFields.next(message, at: &position) {
            switch field {
            case .bytes(number: 1, let range): publicKey = message.extracting(range).revealBytes()
            case .bytes(number: 2, let range): challenge = message.extracting(range).revealBytes()
            case .bytes(number: 3, let range):
                guard mediaKeys.count < Self.maxMediaKeys else { throw .tooManyKeys }
                mediaKeys.append(try MediaKey(decoding: message.extracting(range)))
            default: break
            }
        }
        guard let publicKey, publicKey.count == PublicKey.count else { throw .field(1) }
        guard let challenge, challenge.count == Hello.challengeCount else { throw .field(2) }
        guard !mediaKeys.isEmpty else { throw .field(3) }
        guard mediaKeys.count < 2 || mediaKeys[0].epoch != mediaKeys[1].epoch else { throw .field(3) }
        self.init(publicKey: publicKey, challenge: challenge, mediaKeys: mediaKeys)
    }

    /// The envelope, without padding.
    var envelope: SecureBytes {
        var auth = SecureBuffer(capacity: 128 + mediaKeys.count * (MediaKey.maxCount + 2))
        ProtobufWire.append(publicKey.span, number: 1, to: &auth)
        ProtobufWire.append(challenge.span, number: 2, to: &auth)
        for key in mediaKeys { key.encoded().withBytes { ProtobufWire.append($0, number: 3, to: &auth) } }
        let content = auth.finish()
        var envelope = SecureBuffer(capacity: ProtobufWire.encodedCount(number: 2, count: content.count))
        content.withBytes { ProtobufWire.append($0, number: 2, to: &envelope) }
        return envelope.finish()
    }
}

extension MediaKey {
    /// Longest encoded form, in bytes.
    static let maxCount = 3 + 3 + 2 + EnclosedKey.count

    init(decoding message: Span<UInt8>) throws(CallMessageError) {
        var (epoch, ratchet): (UInt64, UInt64) = (0, 0)
        var key: EnclosedKey?
        var position = 0
        while let field = try CallFields.next(message, at: &position) {
            switch field {
            case .varint(number: 1, let value): epoch = value
            case .varint(number: 2, let value): ratchet = value
            case .bytes(number: 3, let range):
                guard range.count == EnclosedKey.count else { throw .field(3) }
                key = EnclosedKey(SecureBytes(copying: message.extracting(range)))
            default: break
            }
        }
        guard let epoch = UInt8(exactly: epoch) else { throw .field(1) }
        guard let ratchet = UInt8(exactly: ratchet) else { throw .field(2) }
        guard let key else { throw .field(3) }
        self.init(epoch: epoch, ratchet: ratchet, key: key)
    }

    func encoded() -> SecureBytes {
        var message = SecureBuffer(capacity: Self.maxCount)
        // What has its default value is left out.
        if epoch != 0 { ProtobufWire.append(UInt64(epoch), number: 1, to: &message) }
        if ratchet != 0 { ProtobufWire.append(UInt64(ratchet), number: 2, to: &message) }
        key.bytes.withBytes { ProtobufWire.append($0, number: 3, to: &message) }
        return message.finish()
    }
}
