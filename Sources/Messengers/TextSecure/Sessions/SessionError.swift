internal import Ratchet

/// Why a message was refused, or a session does not begin. Then nothing has changed.
public enum SessionError: Error, Equatable, Sendable {
    /// Not a message, or a field is missing or wrong.
    case malformed
    /// The version is neither 2 nor 3, or higher than what the sender says it speaks.
    case unknownVersion
    /// The message is of another version than the session.
    case otherVersion
    /// The message has begun another session.
    case otherSession
    /// The identity key is not the one that is known of the contact. Compare fingerprints before you trust it.
    case identityChanged(PublicKey33)
    /// The message has begun a session that is there: open it by that session.
    case sessionExists
    /// The prekey is used up, or never was.
    case unknownPrekey(UInt32)
    /// A key is of low order.
    case weakKey
    /// The message was opened before, or its key was removed.
    case replayed
    /// More than 2000 messages before it are missing.
    case tooFarAhead
    /// The message has the last number, which none may have.
    case numberTooHigh
    /// The sending chain is at its end. An answer begins another one.
    case chainExhausted
    /// The body to seal has more than `limit` bytes.
    case tooLong(limit: Int)
    /// The MAC or the padding is wrong.
    case notAuthentic

    init(_ error: RatchetError) {
        self =
            switch error {
            case .weakKey: .weakKey
            // Nobody waits for a first message here: a responder can send at once.
            case .notYetReceived, .chainExhausted: .chainExhausted
            case .duplicate: .replayed
            case .tooManySkipped: .tooFarAhead
            case .numberTooHigh: .numberTooHigh
            case .tooLong(let limit): .tooLong(limit: limit)
            case .unknownHeader, .notAuthentic: .notAuthentic
            }
    }
}
