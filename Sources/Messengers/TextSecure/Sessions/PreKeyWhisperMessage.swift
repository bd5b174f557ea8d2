internal import Encodings

// offset  length  meaning
//      0       1  version, as in WhisperMessage
//      1       n  protobuf: 1 preKeyId, 2 baseKey (33), 3 identityKey (33), 4 message (a whole WhisperMessage),
//                 5 registrationId, 6 signedPreKeyId (version 3 only)
//
// It has no MAC of its own. Base key, identity and prekey are part of the secret that the inner MAC's key comes from, so
// the inner message does not open if one was changed. The registration id is a claim.

/// A message that begins a session: what the responder needs to agree on the secret, around the message.
public struct PreKeyWhisperMessage: Equatable, Sendable {
    private enum Field {
        static let prekeyID = 1
        static let baseKey = 2
        static let identity = 3
        static let message = 4
        static let registrationID = 5
        static let signedPrekeyID = 6
    }

    /// The responder's prekeys that the initiator has used.
    public struct PrekeyIDs: Equatable, Sendable {
        /// The prekey; beside a signed prekey the one-time key, which may be missing.
        public let prekey: UInt32?
        /// The signed prekey of later servers.
        public let signed: UInt32?
    }

    /// The version of the session that begins.
    public let version: SessionVersion
    /// The numbers of the responder's prekeys that the initiator has used.
    public let prekeyIDs: PrekeyIDs
    /// The initiator's key of this session.
    public let baseKey: PublicKey33
    /// The initiator's identity key, which nothing proves before the message has opened.
    public let identity: PublicKey33
    /// The initiator's registration id, which nothing proves.
    public let registrationID: UInt32?
    /// The message inside, which the new session opens.
    public let message: WhisperMessage
    /// The message as it is on the wire.
    public let bytes: [UInt8]

    /// Reads a message. Nothing is authenticated.
    /// - Throws: `.malformed`, also if the message inside has another version; `.unknownVersion`, `.weakKey`.
    public init(parsing bytes: [UInt8]) throws(SessionError) {
        guard bytes.count > 1, bytes.count <= WhisperMessage.maxCount else { throw .malformed }
        version = try VersionByte(bytes[0]).version
        let fields = try MessageFields(
            Array(bytes[1...]), numbers: [Field.prekeyID, Field.registrationID, Field.signedPrekeyID],
            bytes: [Field.baseKey, Field.identity, Field.message])
        let signed = version == .three ? fields.number(Field.signedPrekeyID) : nil
        prekeyIDs = PrekeyIDs(prekey: fields.number(Field.prekeyID), signed: signed)
        guard prekeyIDs.prekey != nil || signed != nil else { throw .malformed }
        baseKey = try fields.key(Field.baseKey)
        identity = try fields.key(Field.identity)
        registrationID = fields.number(Field.registrationID)
        message = try WhisperMessage(parsing: fields.bytes(Field.message))
        guard message.version == version else { throw .malformed }
        self.bytes = bytes
    }

    init(
        _ message: WhisperMessage, prekeyIDs: PrekeyIDs, baseKey: PublicKey33, identity: PublicKey33,
        registrationID: UInt32
    ) throws(SessionError) {
        var bytes = [VersionByte(message.version).byte]
        if let id = prekeyIDs.prekey { ProtobufWire.append(UInt64(id), number: Field.prekeyID, to: &bytes) }
        ProtobufWire.append(baseKey.bytes.span, number: Field.baseKey, to: &bytes)
        ProtobufWire.append(identity.bytes.span, number: Field.identity, to: &bytes)
        ProtobufWire.append(message.bytes.span, number: Field.message, to: &bytes)
        ProtobufWire.append(UInt64(registrationID), number: Field.registrationID, to: &bytes)
        if let id = prekeyIDs.signed { ProtobufWire.append(UInt64(id), number: Field.signedPrekeyID, to: &bytes) }
        try self.init(parsing: bytes)
    }
}
