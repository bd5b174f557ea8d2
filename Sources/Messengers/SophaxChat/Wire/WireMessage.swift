public import Encodings
internal import Primitives

// What is signed:
//
//   v1   type ‖ payload ‖ senderID ‖ time as 2026-01-01T00:00:00Z     no lengths, no recipient, whole seconds
//   v2   SophaxChat_Wire_v2 ‖ length (1) ‖ type ‖ length (4) ‖ payload ‖ length (1) ‖ senderID ‖ Unix time in ms (8)
//        [‖ length (1) ‖ recipientID]
//
// Numbers are big endian. The payload is signed as it was received, never encoded again. A v2 message has the extra
// members `v`: 2, `timeMs` and, if one peer is meant, `recipientID`.

/// Why a message of the wire is refused.
public enum WireError: Error, Equatable, Sendable {
    /// Not a message, or one with a wrong field.
    case malformed
    /// A type that is not known here.
    case unknownType
    /// Too many of its kind from this peer: dropped before it was decoded.
    case rateLimited
    /// The sender's key does not verify it.
    case badSignature
    /// The peer has proved version 2, and this is a message of version 1.
    case lowerVersion
    /// It names another recipient, or none where its type needs one.
    case wrongRecipient
    /// It was received before.
    case replayed
    /// The sender is not known, and messages of this type introduce nobody.
    case unknownSender
    /// The sender is not the owner of the bundle inside.
    case wrongSender
    /// A sealed message is inside a sealed one.
    case nestedSeal
}

/// A message between two neighbours of the mesh.
public struct WireMessage: Equatable, Sendable {
    /// What is in the payload.
    public enum Kind: String, Sendable, CaseIterable {
        case hello, initiateSession, message, sealed, groupMessage, relay, typing, reaction, ack, groupMemberLeft
        case readReceipt, disconnect

        /// Whether a message may come from a peer whose keys are not known: it carries them.
        public var introduces: Bool { self == .hello || self == .initiateSession }

        /// Whether a message of version 2 has to name its recipient. The others go to all neighbours.
        public var needsRecipient: Bool {
            switch self {
            case .hello, .groupMessage, .relay, .groupMemberLeft, .disconnect: false
            case .initiateSession, .message, .sealed, .typing, .reaction, .ack, .readReceipt: true
            }
        }
    }

    /// What of a message is signed. A peer that has signed `two` once must not fall back to `one`.
    public enum Version: Comparable, Sendable {
        /// The app's.
        case one
        /// Ours.
        case two
    }

    /// Longest payload in bytes: what fits a frame.
    public static let maxPayload = 3 << 20
    /// Longest message in bytes: the content of a frame.
    public static let maxCount = 4_194_304

    /// What is in the payload.
    public let kind: Kind
    /// JSON, as it was received.
    public let payload: [UInt8]
    /// A claim until the signature is verified.
    public let sender: PeerID
    /// Whose message it is; nil for everyone, and in version 1.
    public let recipient: PeerID?
    /// What of the message is signed.
    public let version: Version
    /// The sender's clock. Version 1 signs whole seconds only.
    public let time: Timestamp
    /// 64 bytes.
    public let signature: [UInt8]
    /// As it stands in version 1.
    private let appTime: AppTime

    /// Reads a message. Nothing is verified.
    /// - Throws: `.malformed`, `.unknownType`.
    public init(parsing bytes: [UInt8]) throws(WireError) {
        guard bytes.count <= Self.maxCount else { throw .malformed }
        let name: String
        do throws(FieldError) {
            let fields = try Fields(bytes)
            name = try fields.text("type", 1...64)
            let version = try Self.version(fields)
            let appTime = try fields.time("timestamp")
            payload = try fields.bytes("payload", 0...Self.maxPayload)
            sender = try fields.peer("senderID")
            recipient =
                version == .one
                ? nil : try fields.optional("recipientID") { name throws(FieldError) in try fields.peer(name) }
            time =
                version == .one
                ? appTime.timestamp : Timestamp(milliseconds: try fields.integer("timeMs", as: Int64.self))
            signature = try fields.bytes("signature", 64)
            self.version = version
            self.appTime = appTime
        } catch {
            throw .malformed
        }
        guard let kind = Kind(rawValue: name) else { throw .unknownType }
        self.kind = kind
    }

    private static func version(_ fields: Fields) throws(FieldError) -> Version {
        guard fields.has("v") else { return .one }
        guard try fields.integer("v", as: Int.self) == 2 else { throw .field("v") }
        return .two
    }

    private init(
        _ kind: Kind, _ payload: [UInt8], _ sender: PeerID, to recipient: PeerID?, _ version: Version,
        at time: Timestamp, signature: [UInt8]
    ) {
        self.kind = kind
        self.payload = payload
        self.sender = sender
        self.recipient = recipient
        self.version = version
        self.time = time
        self.signature = signature
        appTime = AppTime(time)
    }

    /// What the signature is over.
    package var signedBytes: [UInt8] {
        Self.signedBytes(kind.rawValue, payload, sender, to: recipient, version, time, appTime)
    }

    package static func signedBytes(
        _ type: String, _ payload: [UInt8], _ sender: PeerID, to recipient: PeerID?, _ version: Version,
        _ time: Timestamp, _ appTime: AppTime
    ) -> [UInt8] {
        switch version {
        case .one: return Array(type.utf8) + payload + sender.bytes + Array(appTime.timestamp.rfc3339.utf8)
        case .two:
            var bytes = Array("SophaxChat_Wire_v2".utf8)
            bytes.appendShort(Array(type.utf8))
            bytes.appendLong(payload)
            bytes.appendShort(sender.bytes)
            bytes.appendNumber(time.milliseconds)
            if let recipient { bytes.appendShort(recipient.bytes) }
            return bytes
        }
    }

    /// Whether this identity has signed the message.
    public func isSigned(by identity: PublicIdentity) -> Bool {
        identity.has(sender) && Ed25519.isValid(signature, of: signedBytes.span, publicKey: identity.signing)
    }

    /// Signs a message.
    /// - Parameters:
    ///   - recipient: the peer it is for. Nil for everyone, and in version 1, which cannot name one.
    ///   - version: `.one` for peers that have not proved version 2.
    /// - Throws: `.malformed` for a payload that is too long, `.wrongRecipient` if the type needs one.
    public static func sign(
        _ kind: Kind, payload: [UInt8], to recipient: PeerID?, by identity: borrowing SophaxIdentity,
        version: Version = .two, at time: Timestamp
    ) throws(WireError) -> WireMessage {
        guard payload.count <= maxPayload else { throw .malformed }
        if version == .two, kind.needsRecipient, recipient == nil { throw .wrongRecipient }
        let named = version == .one ? nil : recipient
        let bytes = signedBytes(
            kind.rawValue, payload, identity.peerID, to: named, version, time, AppTime(time))
        return WireMessage(
            kind, payload, identity.peerID, to: named, version, at: time, signature: identity.sign(bytes))
    }

    /// The message as JSON: compact, with sorted names.
    public var encoded: [UInt8] {
        let isNew = version == .two
        return JSONValue.object(present: [
            ("type", .string(kind.rawValue)), ("payload", .base64(payload)), ("senderID", .string(sender.description)),
            ("timestamp", .time(appTime)), ("signature", .base64(signature)), ("v", isNew ? 2 : nil),
            ("timeMs", isNew ? .number(time.milliseconds) : nil),
            ("recipientID", recipient.map { .string($0.description) }),
        ]).bytes
    }
}
