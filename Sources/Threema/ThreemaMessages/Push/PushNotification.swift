public import Encodings
internal import Primitives
internal import SecureMemory
public import Threema

// A push notification over APNs: a JSON object with two members, in Base64, however it is wrapped by the platform:
//
//     box    tag (16) ‖ ciphertext: a secretbox with the push key
//     nonce  24 bytes
//
// The plaintext is a JSON object:
//
//     cmd        newmsg or newgroupmsg
//     from       ID of the sender
//     messageId  16 hexadecimal digits
//     voip       true for a call: "true", "false", a truth value, or absent

/// What a push notification says: that a message waits on the chat server. It does not hold the message.
public struct PushNotification: Equatable, Sendable {
    /// Whether the message is to a group.
    public let isGroup: Bool
    /// The sender's ID, as the server says.
    public let sender: ThreemaID
    /// The ID of the message that waits at the server.
    public let messageID: MessageID
    /// Whether the message begins a call.
    public let isCall: Bool

    /// Most bytes of a payload: four times what Apple delivers.
    private static let maxCount = 16 * 1024
    private static let limits = JSONScanner.Limits(depth: 4, values: 50)

    /// Opens the payload of a notification.
    /// - Parameter payload: the JSON object with `box` and `nonce`, without what the platform puts around it.
    /// - Throws: `.notSealed` without these: everybody could have sent it; `.notAuthentic`, `.tooLong`, `.json`, and
    ///   `.member` with the name of one that is missing or of another type.
    public init(_ payload: Span<UInt8>, key: borrowing PushKey) throws(PushNotificationError) {
        let outer = try Self.json(payload)
        guard let box = outer["box"]?.string, let nonce = outer["nonce"]?.string else { throw .notSealed }
        try self.init(box: box, nonce: nonce, key: key)
    }

    /// Opens a notification.
    /// - Parameters:
    ///   - box: Base64.
    ///   - nonce: Base64 of 24 bytes.
    /// - Throws: as the other one.
    public init(box: String, nonce: String, key: borrowing PushKey) throws(PushNotificationError) {
        guard let sealed = Base64.decode(Array(box.utf8).span) else { throw .member("box") }
        guard let nonceBytes = Base64.decode(Array(nonce.utf8).span), nonceBytes.count == SecretBox.nonceCount else {
            throw .member("nonce")
        }
        let plaintext: SecureBytes
        do throws(AuthenticationError) {
            plaintext = try key.bytes.withBytes { (key) throws(AuthenticationError) in
                try sealed.withBytes { (sealed) throws(AuthenticationError) in
                    try SecretBox.open(sealed, nonce: nonceBytes.revealBytes(), key: key)
                }
            }
        } catch {
            throw .notAuthentic
        }
        let root = try plaintext.withBytes { (bytes) throws(PushNotificationError) in try Self.json(bytes) }
        switch root["cmd"]?.string {
        case "newmsg": isGroup = false
        case "newgroupmsg": isGroup = true
        default: throw .member("cmd")
        }
        guard let sender = root["from"]?.string.flatMap({ try? ThreemaID($0) }) else { throw .member("from") }
        guard let id = root["messageId"]?.string.flatMap({ MessageID(hex: $0) }) else { throw .member("messageId") }
        self.sender = sender
        messageID = id
        switch root["voip"] {
        case nil, .null, .bool(false), .string("false"): isCall = false
        case .bool(true), .string("true"): isCall = true
        default: throw .member("voip")
        }
    }

    /// Seals a notification, as the chat server does.
    /// - Returns: the JSON object with `box` and `nonce`.
    public func sealed(key: borrowing PushKey) -> [UInt8] {
        sealed(key: key, nonce: Random.bytes(SecretBox.nonceCount))
    }

    /// - Parameter nonce: 24 bytes, never used twice with one key.
    package func sealed(key: borrowing PushKey, nonce: [UInt8]) -> [UInt8] {
        let plaintext: JSONValue = [
            "cmd": .string(isGroup ? "newgroupmsg" : "newmsg"), "from": .string(sender.text),
            "messageId": .string("\(messageID)"), "voip": .string(isCall ? "true" : "false"),
        ]
        let encoded = plaintext.encoded
        let box = key.bytes.withBytes { SecretBox.seal(encoded.span, nonce: nonce, key: $0) }
        let outer: JSONValue = [
            "box": .string(Base64.encode(box.span)), "nonce": .string(Base64.encode(nonce.span)),
        ]
        return outer.encoded
    }

    /// Puts the parts together.
    public init(isGroup: Bool, sender: ThreemaID, messageID: MessageID, isCall: Bool) {
        self.isGroup = isGroup
        self.sender = sender
        self.messageID = messageID
        self.isCall = isCall
    }

    private static func json(_ bytes: Span<UInt8>) throws(PushNotificationError) -> JSONValue {
        guard bytes.count <= maxCount else { throw .tooLong(limit: maxCount) }
        do throws(JSONError) {
            return try JSONScanner.parse(bytes, limits: limits)
        } catch {
            throw .json(error)
        }
    }
}

/// Why a push notification says nothing.
public enum PushNotificationError: Error, Equatable, Sendable {
    case tooLong(limit: Int)
    case json(JSONError)
    /// There is no box: everybody could have sent it.
    case notSealed
    /// Another key, or altered bytes.
    case notAuthentic
    /// A member is missing or of another type.
    case member(String)
}
