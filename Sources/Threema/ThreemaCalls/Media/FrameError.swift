/// Why a frame is not sealed or opened.
public enum FrameError: Error, Equatable, Sendable {
    case tooLong(limit: Int, actual: Int)
    case tooShort(minimum: Int, actual: Int)
    /// No key of this epoch is known: the message with it has not come yet, or the key is forgotten.
    case unknownEpoch(UInt8)
    /// The key of this step is gone: the ratchet has passed it.
    case ratchetPassed(UInt8)
    /// Key, header, ciphertext or footer differ from those of the sender.
    case notAuthentic
    /// `MediaKeyError.framesExhausted`.
    case framesExhausted
}
