public import Encodings
internal import Primitives
internal import SecureMemory
public import Threema

/// A message in clear: what one identity tells another.
public struct Message: Equatable, Sendable {
    /// The ID that has sealed the message.
    public var sender: ThreemaID
    /// Who gets it. A message to a group is one message to each member, with the same ID and time.
    public var receiver: ThreemaID
    /// Unique among the sender's messages.
    public var id: MessageID
    /// When the message was made, by the sender's clock.
    public var createdAt: Timestamp
    /// What server and receiver do with it.
    public var flags: MessageFlags
    /// What it says about the sender's nickname.
    public var nickname: MessageMetadata.Nickname
    /// The content, of one of the types of messages.
    public var body: MessageBody

    /// A message with the flags of its type. In an envelope of forward security, the inner message's type counts.
    /// - Parameter nickname: left out on sealing if messages of this type do not take it along.
    public init(
        from sender: ThreemaID, to receiver: ThreemaID, id: MessageID, createdAt: Timestamp,
        nickname: MessageMetadata.Nickname = .unchanged, body: MessageBody
    ) {
        self.init(
            from: sender, to: receiver, id: id, createdAt: createdAt, flags: body.innerType.defaultFlags,
            nickname: nickname, body: body)
    }

    /// A message with these flags.
    public init(
        from sender: ThreemaID, to receiver: ThreemaID, id: MessageID, createdAt: Timestamp, flags: MessageFlags,
        nickname: MessageMetadata.Nickname, body: MessageBody
    ) {
        self.sender = sender
        self.receiver = receiver
        self.id = id
        self.createdAt = createdAt
        self.flags = flags
        self.nickname = nickname
        self.body = body
    }

    /// Encrypts the message under a fresh nonce, with random padding.
    /// - Parameters:
    ///   - keys: of sender and receiver.
    ///   - used: the sender's nonces. Insert the result's `nonceDigest` before the payload leaves.
    /// - Throws: `.used` with what `used` throws; `.message(.body)`.
    public func seal<Used: UsedNonces>(
        keys: borrowing ContactKeys, notIn used: Used
    ) throws(SealingError<Used.Failure>) -> SealedMessage {
        let nonce: MessageNonce
        do throws(Used.Failure) {
            nonce = try MessageNonce.random(for: sender, notIn: used)
        } catch {
            throw .used(error)
        }
        do throws(MessageError) {
            let payload = try seal(keys: keys, nonce: nonce, randomPadding: MessageContainer.randomPadding())
            let digest = body.needsReplayProtection ? nonce.digest(for: sender) : nil
            return SealedMessage(payload: payload, nonceDigest: digest)
        } catch {
            throw .message(error)
        }
    }

    /// The same with given randomness.
    /// - Parameter randomPadding: 1...255.
    package func seal(
        keys: borrowing ContactKeys, nonce: MessageNonce, randomPadding: Int
    ) throws(MessageError) -> MessagePayload {
        let sent = body.innerType.distributesProfile ? nickname : .unchanged
        if case .set(let text) = sent, text.isEmpty { throw .body(.invalidValue) }
        if case .set(let text) = sent, text.utf8.count > MessageLimits.nicknameBytes {
            throw .body(.tooLong(limit: MessageLimits.nicknameBytes, actual: text.utf8.count))
        }
        let container: SecureBytes
        do throws(MessageBodyError) {
            container = try body.container(randomPadding: randomPadding)
        } catch {
            throw .body(error)
        }
        let metadata = MessageMetadata(nickname: sent, messageID: id, createdAt: createdAt)
        // The limits of body, padding and nickname keep this below `MessagePayload.maxCount`.
        return MessagePayload(
            sender: sender, receiver: receiver, id: id,
            createdAt: UInt32(clamping: createdAt.milliseconds / 1000), flags: flags,
            legacyNickname: legacyNickname(sent), metadataBox: metadata.seal(nonce: nonce, keys: keys), nonce: nonce,
            messageBox: container.withBytes { Box.seal($0, nonce: nonce.bytes, sharedKey: keys.message) })
    }

    /// 32 bytes: gateways do not read metadata, so they get the nickname in clear text.
    private func legacyNickname(_ nickname: MessageMetadata.Nickname) -> [UInt8] {
        var field: [UInt8] = []
        if receiver.text.hasPrefix("*"), case .set(let text) = nickname { field = Array(text.utf8) }
        return field + [UInt8](repeating: 0, count: MessagePayload.nicknameCount - field.count)
    }
}

/// A message that is ready to be sent.
public struct SealedMessage: Equatable, Sendable {
    /// The message as the chat server takes it.
    public let payload: MessagePayload
    /// Has to be stored before the payload is sent; nil if messages of this type need no replay protection.
    public let nonceDigest: NonceDigest?
}

/// Why a message was not sealed.
public enum SealingError<Failure: Error>: Error {
    /// The nonces could not be looked up.
    case used(Failure)
    case message(MessageError)
}
