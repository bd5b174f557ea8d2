internal import Encodings
internal import Primitives
package import SecureMemory
internal import Threema

extension MessagePayload {
    /// Decrypts and reads the message. It is authentic: only sender and receiver could have made it.
    ///
    /// This alone is not enough for messages from a server: see ``IncomingPipeline``, which also refuses replays,
    /// messages to others and duplicates, and looks into envelopes of forward security.
    /// - Parameter keys: of sender and receiver.
    /// - Throws: `MessageError`, in the order of the layers: metadata, message box, type, body, ID.
    public func open(keys: borrowing ContactKeys) throws(MessageError) -> Message {
        let metadata = try openMetadata(keys: keys)
        let container = try openContainer(keys: keys)
        let body = try container.withBytes { (bytes) throws(MessageError) in
            try MessageBody(container: bytes)
        }
        if let metadata, metadata.messageID != id { throw .idMismatch }
        return message(metadata, body)
    }

    /// - Returns: nil if the payload has no metadata.
    func openMetadata(keys: borrowing ContactKeys) throws(MessageError) -> MessageMetadata? {
        guard !metadataBox.isEmpty else { return nil }
        return try MessageMetadata.open(metadataBox, nonce: nonce, keys: keys)
    }

    /// - Returns: type, body and padding.
    package func openContainer(keys: borrowing ContactKeys) throws(MessageError) -> SecureBytes {
        do throws(AuthenticationError) {
            return try Box.open(messageBox.span, nonce: nonce.bytes, sharedKey: keys.message)
        } catch {
            throw .notAuthentic
        }
    }

    /// The parts in clear. What the metadata says counts before what the server could have changed.
    func message(_ metadata: MessageMetadata?, _ body: MessageBody) -> Message {
        Message(
            from: sender, to: receiver, id: id,
            createdAt: metadata?.createdAt ?? Timestamp(milliseconds: Int64(createdAt) * 1000), flags: flags,
            nickname: metadata?.nickname ?? .unchanged, body: body)
    }
}

extension MessageBody {
    /// Reads what `container(randomPadding:)` makes.
    /// - Throws: as for a message box.
    package init(container bytes: Span<UInt8>) throws(MessageError) {
        let range = try MessageContainer.body(of: bytes)
        try self.init(typed: bytes.extracting(0..<range.upperBound))
    }

    /// Reads type and body, without padding.
    /// - Throws: `.container` if there is no type, `.refusedType`, `.unknownType`, `.body`.
    package init(typed bytes: Span<UInt8>) throws(MessageError) {
        guard bytes.count >= MessageContainer.typeCount else { throw .container }
        guard bytes[0] != 0xff else { throw .refusedType }
        guard let type = MessageType(rawValue: bytes[0]) else { throw .unknownType(bytes[0]) }
        do throws(MessageBodyError) {
            self = try MessageBody(type, decoding: bytes.extracting(MessageContainer.typeCount..<bytes.count))
        } catch {
            throw .body(error)
        }
    }
}
