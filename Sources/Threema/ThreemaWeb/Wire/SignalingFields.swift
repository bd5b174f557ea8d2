internal import Threema

/// The types of messages. Others belong to tasks.
public enum SignalingMessageType: String, Sendable {
    // Server to client, client to server.
    case serverHello = "server-hello"
    case clientHello = "client-hello"
    case clientAuth = "client-auth"
    case serverAuth = "server-auth"
    case newInitiator = "new-initiator"
    case newResponder = "new-responder"
    case dropResponder = "drop-responder"
    case sendError = "send-error"
    case disconnected
    // Client to client.
    case token
    case key
    case auth
    case close
    case application
}

/// A message is a map with the text `type`, opened and read.
struct SignalingFields {
    /// The text of `type`.
    let type: String
    /// All members, `type` included.
    let members: [String: MessagePackValue]

    init(_ plaintext: Span<UInt8>, limits: MessagePackLimits) throws(SignalingContentError) {
        let value: MessagePackValue
        do throws(MessagePackError) {
            value = try MessagePackValue(decoding: plaintext, limits: limits)
        } catch {
            throw .messagePack(error)
        }
        guard case .map = value else { throw .notMap }
        guard let members = value.members else { throw .badNames }
        guard case .text(let type)? = members["type"] else { throw .noType }
        self.type = type
        self.members = members
    }

    /// - Throws: `.otherType`, `.unknownType`.
    func require(_ wanted: SignalingMessageType) throws(SignalingContentError) {
        guard type != wanted.rawValue else { return }
        throw SignalingMessageType(rawValue: type).map { .otherType($0) } ?? .unknownType
    }

    /// 32 bytes that are a public key, not of low order.
    func publicKey(_ name: SignalingContentError.Field) throws(SignalingContentError) -> PublicKey {
        guard let key = PublicKey(try bytes(name, count: PublicKey.count)) else { throw .weakKey }
        return key
    }

    func bytes(_ name: SignalingContentError.Field, count: Int) throws(SignalingContentError) -> [UInt8] {
        guard case .bytes(let bytes)? = members[name.rawValue], bytes.count == count else { throw .field(name) }
        return bytes
    }

    func bool(_ name: SignalingContentError.Field) throws(SignalingContentError) -> Bool {
        guard case .bool(let value)? = members[name.rawValue] else { throw .field(name) }
        return value
    }

    func text(_ name: SignalingContentError.Field) throws(SignalingContentError) -> String {
        guard case .text(let text)? = members[name.rawValue] else { throw .field(name) }
        return text
    }

    /// An address of one of these sides.
    func address(
        _ name: SignalingContentError.Field, in range: ClosedRange<SignalingAddress>
    ) throws(SignalingContentError) -> SignalingAddress {
        guard let value = members[name.rawValue].flatMap({ Self.address($0, in: range) }) else { throw .field(name) }
        return value
    }

    /// Addresses of responders, each once.
    func responders(_ name: SignalingContentError.Field) throws(SignalingContentError) -> [SignalingAddress] {
        guard case .array(let values)? = members[name.rawValue] else { throw .field(name) }
        let addresses = values.compactMap { Self.address($0, in: SignalingNonce.responders) }
        guard addresses.count == values.count, Set(addresses).count == values.count else { throw .field(name) }
        return addresses
    }

    private static func address(
        _ value: MessagePackValue, in range: ClosedRange<SignalingAddress>
    ) -> SignalingAddress? {
        guard case .unsigned(let number) = value, let address = UInt8(exactly: number), range.contains(address) else {
            return nil
        }
        return address
    }
}

/// Why an opened message is not one.
public enum SignalingContentError: Error, Equatable, Sendable {
    /// A member of a message.
    public enum Field: String, Sendable {
        case key
        case yourCookie = "your_cookie"
        case signedKeys = "signed_keys"
        case responders
        case initiatorConnected = "initiator_connected"
        case id
        case reason
        case tasks
        case task
        case data
    }

    /// It is not MessagePack.
    case messagePack(MessagePackError)
    /// It is no map.
    case notMap
    /// A name is no text, or there twice.
    case badNames
    /// It has no text `type`.
    case noType
    /// Its type is not expected now.
    case otherType(SignalingMessageType)
    /// Its type is not known.
    case unknownType
    /// A member is missing, or its value has another type, length or range.
    case field(Field)
    /// A public key is a point of low order.
    case weakKey
}
