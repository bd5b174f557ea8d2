@testable import Encodings
@testable import Primitives
@testable import SecureMemory
@testable import Threema
@testable import ThreemaForwardSecurity
@testable import ThreemaMedia
@testable import ThreemaMessages

/// End-to-end messages: what a server delivers, and what a contact has sealed.
enum Messages {
    private static let own = try! ThreemaID("ECHOECHO")
    private static let sender = try! ThreemaID("ABCD1234")
    private static var contact: PublicKey { ClientKey(Chat.secret(11)).publicKey }
    private static var keys: ContactKeys { try! ContactKeys(own: ClientKey(Chat.secret(9)), contact: contact) }
    private static let nonce = MessageNonce([UInt8](repeating: 3, count: 24))

    static func payload(_ bytes: [UInt8]) throws {
        let payload = try MessagePayload(decoding: bytes.span)
        let encoded = payload.encoded
        expect((try? MessagePayload(decoding: encoded.span)) == payload, "the same payload")
        var pipeline = IncomingPipeline(bytes.span, own: payload.receiver)
        var step = pipeline.start()
        if case .lookUpNonce = step { step = pipeline.answer(nonceIsUsed: false) }
        if case .findContact = step { step = pipeline.open(keys: keys, isBlocked: false) }
        guard case .finished(let result) = step else { fatalError("a box that nobody sealed opens") }
        guard case .discard = result.decision else { fatalError("a box that nobody sealed is delivered") }
    }

    /// Boxes are right: the first byte says how much of the input is the metadata, the rest is what stands in the box.
    static func sealed(_ bytes: [UInt8]) throws {
        let (first, rest) = split(bytes)
        let metadata = Array(rest.prefix(Int(first)))
        let content = Array(rest.dropFirst(Int(first)))
        let metadataBox = first == 0 ? [] : Box.seal(metadata.span, nonce: nonce.bytes, sharedKey: keys.metadata)
        let payload = MessagePayload(
            sender: sender, receiver: own, id: MessageID(1), createdAt: 1, flags: [],
            legacyNickname: [UInt8](repeating: 0, count: MessagePayload.nicknameCount), metadataBox: metadataBox,
            nonce: nonce, messageBox: Box.seal(content.span, nonce: nonce.bytes, sharedKey: keys.message))
        var pipeline = IncomingPipeline(payload.encoded.span, own: own)
        var step = pipeline.start()
        if case .lookUpNonce = step { step = pipeline.answer(nonceIsUsed: false) }
        if case .findContact = step { step = pipeline.open(keys: keys, isBlocked: false) }
        if case .unwrap(let envelope, _) = step {
            _ = try? Envelope(decoding: envelope.span)
            step = pipeline.answer(unwrapped: content.span)
        }
        if case .lookUpOrigin = step { step = pipeline.answer(isDuplicate: false) }
        guard case .finished = step else { fatalError("the message is not finished") }
        let message = try payload.open(keys: keys)
        try checkBody(message.body)
    }

    /// What was read is written, and read as the same.
    private static func checkBody(_ body: MessageBody) throws {
        guard let written = written(body) else { return }
        let again = try! MessageBody(container: written.span)
        // Coordinates are written with six decimals.
        if body.type != .location && body.type != .groupLocation { expect(again == body, "the same body") }
        expect(Self.written(again) == written, "the same bytes")
    }

    /// Nil if it cannot be sent: more may be received.
    private static func written(_ body: MessageBody) -> [UInt8]? {
        do {
            let container = try body.container(randomPadding: 1)
            return container.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        } catch { return nil }
    }

    static func body(_ bytes: [UInt8]) throws {
        try? checkBody(try MessageBody(container: bytes.span))
        try checkBody(try MessageBody(typed: bytes.span))
    }

    static func bodyParts(_ bytes: [UInt8]) throws {
        let (first, rest) = split(bytes)
        if let type = MessageType(rawValue: first), let body = try? MessageBody(type, decoding: rest.span) {
            expect(body.type == type, "the type that was asked for")
        }
        if let id = try? GroupIdentity(decoding: bytes.span) { expect(bytes.starts(with: id.bytes), "the same group") }
        _ = try? PictureMessage(decoding: bytes.span)
        _ = try? ThreemaID(bytes: bytes.span)
        _ = try FileMessage(decoding: bytes.span)
    }

    static func metadata(_ bytes: [UInt8]) throws {
        let metadata = try MessageMetadata(decoding: bytes.span)
        let encoded = metadata.encoded()
        let again = try! MessageMetadata(decoding: encoded.span)
        expect(again == metadata || metadata.createdAt.milliseconds < 0, "the same metadata")
        let box = Box.seal(bytes.span, nonce: nonce.bytes, sharedKey: keys.metadata)
        let opened = try MessageMetadata.open(box, nonce: nonce, keys: keys)
        expect(opened == metadata, "the same in its box")
    }

    static func push(_ bytes: [UInt8]) throws {
        let key = PushKey(Chat.secret(12))
        _ = try? PushNotification(bytes.span, key: key)
        // The input in a right box.
        let box = key.bytes.withBytes { SecretBox.seal(bytes.span, nonce: nonce.bytes, key: $0) }
        let nonceBytes = nonce.bytes
        let notification = try PushNotification(
            box: Base64.encode(box.span), nonce: Base64.encode(nonceBytes.span), key: key)
        let sealed = notification.sealed(key: key, nonce: nonce.bytes)
        expect((try? PushNotification(sealed.span, key: key)) == notification, "the same notification")
    }

    static func records(_ bytes: [UInt8]) throws {
        let identity = GroupIdentity(creator: sender, id: GroupID([UInt8](repeating: 1, count: 8)))
        if let group = Group(decoding: bytes.span, of: identity) {
            let encoded = group.encoded().revealBytes()
            expect(Group(decoding: encoded.span, of: identity) == group, "the same group")
        }
        if let picture = UploadedPicture(record: bytes.span) {
            let encoded = picture.encoded().revealBytes()
            expect(UploadedPicture(record: encoded.span) == picture, "the same picture")
        }
    }

    static func envelope(_ bytes: [UInt8]) throws {
        let envelope = try Envelope(decoding: bytes.span)
        expect((try? Envelope(decoding: envelope.encoded.span)) == envelope, "the same envelope")
    }

    static func sessions(_ bytes: [UInt8]) throws {
        let sessions = try SessionSet(decoding: bytes.span)
        expect(sessions.encoded().revealBytes() == bytes, "a record has one form")
        _ = try Conversation(decoding: bytes.span)
    }

    static func boxes(_ bytes: [UInt8]) throws {
        let key = EnclosedKey(Chat.secret(13))
        _ = try? InnerBox.open(bytes.span, key: key.bytes)
        _ = try? Blob.open(bytes.span, .thumbnail, key: key)
        _ = try? LegacyImage(blobID: BlobID([UInt8](repeating: 0, count: 16)), size: 1, nonce: nonce)
            .open(bytes.span, keys: keys)
        _ = try Blob.open(bytes.span, key: key)
        fatalError("a box that nobody sealed opens")
    }
}
