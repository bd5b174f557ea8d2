internal import Primitives
public import SecureMemory
public import ThreemaMessages

// The media key of one participant (PCMK), as its message has it:
//
//     1  uint32  epoch, 0...255
//     2  uint32  ratchet counter, 0...255
//     3  bytes   key, 32 bytes
//
// Within an epoch the key goes forward only: KDF(PCMK, "m'") replaces it when somebody joins, so that the new
// participant cannot open earlier frames. When somebody leaves, a new random key begins the next epoch.

/// A participant's media key at one step of its ratchet.
public struct MediaKey: Equatable, Sendable {
    /// Counts the random keys of this participant, modulo 256.
    public let epoch: UInt8
    /// Counts the steps of the ratchet within the epoch.
    public let ratchet: UInt8
    /// PCMK, 32 bytes: the keys of media frames are derived from it.
    public let key: EnclosedKey

    /// Puts the parts together.
    public init(epoch: UInt8, ratchet: UInt8, key: EnclosedKey) {
        self.epoch = epoch
        self.ratchet = ratchet
        self.key = key
    }

    /// The key after the next step.
    /// - Throws: `.ratchetExhausted` after 255 steps.
    public func ratcheted() throws(MediaKeyError) -> MediaKey {
        guard ratchet < UInt8.max else { throw .ratchetExhausted }
        let next = BLAKE2b.deriveKey(from: key.bytes, salt: "m'", personal: CallKeys.personal)
        return MediaKey(epoch: epoch, ratchet: ratchet + 1, key: EnclosedKey(next))
    }

    /// PCMFK: the key of frames.
    public func frameKey(_ keys: borrowing CallKeys) -> SecureBytes { keys.derive(key.bytes, "mf") }
}

/// Why a participant's media keys do not go on.
public enum MediaKeyError: Error, Equatable, Sendable {
    /// The ratchet has made its 255 steps. Begin an epoch with `MediaSender.participantLeft`.
    case ratchetExhausted
    /// The frame counter is at its end. It is never reset, so the call has to be joined again.
    case framesExhausted
    /// A new key has the epoch of a key that is known.
    case repeatedEpoch(UInt8)
}
