internal import Primitives
package import ThreemaMessages

/// The media keys of this participant: they seal frames, go on when somebody joins, and are replaced when somebody
/// leaves.
///
/// There is one sender for all streams of a participant in a call, because they share the counter of frames. It cannot
/// be copied: two copies would use a nonce twice.
public struct MediaSender: ~Copyable, Sendable {
    /// How long a new key is distributed before frames are sealed with it.
    public static let rekeyDelay = Duration.seconds(2)

    /// The key of the next frame.
    public private(set) var current: MediaKey
    private var cipher: FrameCipher
    private let keys: CallKeys
    private var pending: (key: MediaKey, time: ContinuousClock.Instant)?
    private var isStale = false
    private var counter: UInt64

    /// Begins with a random key.
    public init(_ keys: consuming CallKeys) { self.init(keys, key: .random(), counter: 1) }

    /// - Parameters:
    ///   - key: PCMK of epoch 0.
    ///   - counter: of the first frame.
    package init(_ keys: consuming CallKeys, key: EnclosedKey, epoch: UInt8 = 0, ratchet: UInt8 = 0, counter: UInt32) {
        current = MediaKey(epoch: epoch, ratchet: ratchet, key: key)
        cipher = FrameCipher(key: current.frameKey(keys))
        self.keys = keys
        self.counter = UInt64(counter)
    }

    /// The keys that a new participant gets in its Auth message: the current one, and one that is being distributed.
    public var distributed: [MediaKey] { [current] + (pending.map { [$0.key] } ?? []) }

    /// When `advance` has something to do; nil if no new key is waiting.
    public var nextChange: ContinuousClock.Instant? { pending?.time }

    /// Somebody has joined: takes the ratchet one step on. Call it before `distributed` is sent to the new participant,
    /// who cannot open earlier frames then.
    /// - Throws: `.ratchetExhausted`; the key is unchanged.
    public mutating func participantJoined() throws(MediaKeyError) {
        use(try current.ratcheted())
    }

    /// Somebody has left: makes a random key of the next epoch.
    /// - Returns: the key to send to each remaining participant. Nil if the last one is not in use yet; then
    ///   `advance` returns another one, because the one who has left knows that key.
    public mutating func participantLeft(at now: ContinuousClock.Instant) -> MediaKey? {
        participantLeft(at: now, key: .random())
    }

    package mutating func participantLeft(at now: ContinuousClock.Instant, key: EnclosedKey) -> MediaKey? {
        guard pending == nil else {
            isStale = true
            return nil
        }
        let next = MediaKey(epoch: current.epoch &+ 1, ratchet: 0, key: key)
        pending = (next, now + Self.rekeyDelay)
        return next
    }

    /// Uses a new key once it has been distributed for `rekeyDelay`. Call it at `nextChange`, or before each frame.
    /// - Returns: a further key to send to each remaining participant, if somebody has left in the meantime.
    public mutating func advance(to now: ContinuousClock.Instant) -> MediaKey? {
        advance(to: now, key: .random())
    }

    package mutating func advance(
        to now: ContinuousClock.Instant, key: @autoclosure () -> EnclosedKey
    ) -> MediaKey? {
        guard let (next, time) = pending, now >= time else { return nil }
        pending = nil
        use(next)
        guard isStale else { return nil }
        isStale = false
        return participantLeft(at: now, key: key())
    }

    /// Encrypts a frame. Its counter is never reset, also not with a new key.
    /// - Returns: clear header ‖ ciphertext ‖ tag ‖ footer, 22 bytes longer than `frame`.
    /// - Throws: `.tooLong`; `.tooShort` for a VP8 frame without its header; `.framesExhausted`. The counter stays.
    public mutating func seal(_ frame: Span<UInt8>, _ codec: MediaFrame.Codec) throws(FrameError) -> [UInt8] {
        guard let number = UInt32(exactly: counter) else { throw .framesExhausted }
        let footer = MediaFrame.Footer(epoch: current.epoch, ratchet: current.ratchet, counter: number)
        let sealed = try MediaFrame.seal(frame, codec, footer, cipher: cipher)
        counter += 1
        return sealed
    }

    private mutating func use(_ key: MediaKey) {
        current = key
        cipher = FrameCipher(key: key.frameKey(keys))
    }
}
