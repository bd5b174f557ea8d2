internal import Encodings
internal import Primitives
internal import SecureMemory
public import Threema
internal import ThreemaMessages

// After the handshake, each message is one box with the outer key and the next number, over an envelope:
//
//     1  bytes  padding
//     3  media key, see `MediaKey`: replaces the sender's key ("rekey")
//
// Other contents tell about cameras, microphones and admins; they are returned as bytes.

/// The channel to another participant whose identity is proved.
///
/// Both directions count their messages, and the counters are part of the nonces. So a message that the server drops,
/// repeats or holds back ends the direction: nothing after it opens. It cannot be copied, for the same reason.
public struct PeerSession: ~Copyable, Sendable {
    /// What another participant says once the handshake is finished.
    public enum Content: Equatable, Sendable {
        /// Its next media key: `MediaReceiver.add` takes it.
        case rekey(MediaKey)
        /// The number of the field in the envelope, and its bytes.
        case other(Int, [UInt8])
    }

    /// The ID of the other participant, which the handshake has proven.
    public let peer: ThreemaID
    /// The nickname that the other participant gives itself; a claim.
    public let nickname: String
    private let key: EnclosedKey
    private let ownChallenge: [UInt8]
    private let peerChallenge: [UInt8]
    // The first ones were those of the Auth messages.
    private var ownNumber = CallBox.firstNumber + 1
    private var peerNumber = CallBox.firstNumber + 1

    private static let rekeyNumber = 3

    init(peer: ThreemaID, nickname: String, key: EnclosedKey, ownChallenge: [UInt8], peerChallenge: [UInt8]) {
        self.peer = peer
        self.nickname = nickname
        self.key = key
        self.ownChallenge = ownChallenge
        self.peerChallenge = peerChallenge
    }

    /// Seals a message for the other participant. Send it: the next one cannot be opened without it.
    /// - Throws: `.field` for a content with number 1, which is padding, or outside of 2...15.
    public mutating func seal(_ content: Content) throws(CallMessageError) -> [UInt8] {
        var envelope = SecureBuffer(capacity: MediaKey.maxCount + 16)
        switch content {
        case .rekey(let mediaKey):
            mediaKey.encoded().withBytes { ProtobufWire.append($0, number: Self.rekeyNumber, to: &envelope) }
        case .other(let number, let bytes):
            guard (2...15).contains(number), number != Self.rekeyNumber else { throw .field(number) }
            envelope = SecureBuffer(capacity: bytes.count + 16)
            ProtobufWire.append(bytes.span, number: number, to: &envelope)
        }
        let nonce = CallBox.nonce(ownChallenge, ownNumber)
        ownNumber += 1
        return envelope.finish().withBytes { Box.seal($0, nonce: nonce, sharedKey: key.bytes) }
    }

    /// Opens the next message of the other participant.
    /// - Throws: `.notAuthentic` for any other message than the next one: the counter stays. `.message` for one that
    ///   opens and is malformed: the counter goes on.
    public mutating func open(_ message: Span<UInt8>) throws(SessionRefusal) -> Content {
        guard message.count <= CallEnvelope.maxCount else {
            throw .tooLong(limit: CallEnvelope.maxCount, actual: message.count)
        }
        let plain: SecureBytes
        do throws(AuthenticationError) {
            plain = try Box.open(message, nonce: CallBox.nonce(peerChallenge, peerNumber), sharedKey: key.bytes)
        } catch {
            throw .notAuthentic
        }
        peerNumber += 1
        do throws(CallMessageError) {
            return try plain.withBytes { (plain) throws(CallMessageError) in
                guard let (number, range) = try CallEnvelope.content(of: plain) else { throw .unknownContent }
                let content = plain.extracting(range)
                guard number == Self.rekeyNumber else { return .other(number, content.revealBytes()) }
                return .rekey(try MediaKey(decoding: content))
            }
        } catch {
            throw .message(error)
        }
    }
}

/// Why a message after the handshake is refused.
public enum SessionRefusal: Error, Equatable, Sendable {
    case tooLong(limit: Int, actual: Int)
    case notAuthentic
    case message(CallMessageError)
}
