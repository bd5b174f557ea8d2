internal import SecureMemory

// What is acknowledged, also of a malformed message (layout of `MessagePayload`):
//
//   offset  length  meaning
//        0       8  sender
//       16       8  message ID
//       28       1  flags

/// What is to be done about an incoming message.
public struct IncomingResult: Equatable, Sendable {
    /// What becomes of the message itself.
    public enum Decision: Equatable, Sendable {
        /// It is authentic and new: process it.
        case deliver(Message)
        /// It has no effect.
        case discard(DiscardReason)
    }

    /// Whether the chat server is told that the message need not be delivered again. A message that is discarded is
    /// acknowledged like any other one, or the server would deliver it again and again.
    public enum Acknowledgement: Equatable, Sendable {
        /// It is told so by a payload of type 0x82 with these 16 bytes: sender and message ID, as they came. They may
        /// be those of a malformed message, whose sender is not an ID.
        case due([UInt8])
        /// Nothing is sent: the message has the flag `noServerAcknowledgement`.
        case unwanted
        /// Nothing can be sent: the payload ends before its message ID, or before its flags.
        case impossible
    }

    /// What becomes of the message itself.
    public let decision: Decision
    /// Has to be stored together with what processing the message changes, before the acknowledgement is sent. Nil if
    /// nothing is to be stored: the message needs no replay protection, or is not authentic. Nobody but the two parties
    /// can thus fill the memory of nonces.
    public let nonceDigest: NonceDigest?
    /// Is sent last, after everything was stored.
    public let acknowledgement: Acknowledgement
}

extension IncomingResult.Acknowledgement {
    private static let flagsOffset = 28

    /// - Parameter payload: of any length, as the chat server has delivered it.
    init(of payload: Span<UInt8>) {
        guard payload.count > Self.flagsOffset else {
            self = .impossible
            return
        }
        let flags = MessageFlags(rawValue: payload[Self.flagsOffset])
        self =
            flags.contains(.noServerAcknowledgement)
            ? .unwanted : .due(payload.publicBytes(0..<8) + payload.publicBytes(16..<24))
    }
}
