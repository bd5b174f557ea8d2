internal import Primitives
internal import SecureMemory
internal import ThreemaMessages

/// The media keys of another participant: they open its frames.
///
/// It has the keys of two epochs at most: the one in use, and the one that is being distributed or was used before. A
/// frame of a later step of the ratchet takes the key there, once its tag is right. Frames may come in any order and
/// twice: that a frame was not seen before has to be checked by the stream that they belong to.
public struct MediaReceiver: ~Copyable, Sendable {
    private let keys: CallKeys
    private var newest: EpochKey
    private var older: EpochKey?

    /// - Parameter mediaKeys: of the Auth message; at least one, and the last ones count.
    /// - Throws: `.repeatedEpoch`.
    public init(_ keys: consuming CallKeys, _ mediaKeys: [MediaKey]) throws(MediaKeyError) {
        precondition(!mediaKeys.isEmpty)
        newest = EpochKey(mediaKeys[0], keys)
        self.keys = keys
        for key in mediaKeys.dropFirst() { try add(key) }
    }

    /// Adds the key of a rekey message. The key before the last one is forgotten.
    /// - Throws: `.repeatedEpoch` if a key of its epoch is known; nothing changes.
    public mutating func add(_ key: MediaKey) throws(MediaKeyError) {
        guard key.epoch != newest.key.epoch, key.epoch != older?.key.epoch else { throw .repeatedEpoch(key.epoch) }
        older = newest
        newest = EpochKey(key, keys)
    }

    /// Decrypts a frame.
    /// - Parameter frame: as `MediaSender.seal` returns it.
    /// - Throws: `.tooLong`, `.tooShort`, `.unknownEpoch`, `.ratchetPassed`, `.notAuthentic`. The keys stay.
    public mutating func open(_ frame: Span<UInt8>, _ codec: MediaFrame.Codec) throws(FrameError) -> [UInt8] {
        let footer = try MediaFrame.footer(of: frame)
        let isOlder = older?.key.epoch == footer.epoch
        guard isOlder || newest.key.epoch == footer.epoch else { throw .unknownEpoch(footer.epoch) }
        let key = try Self.key(isOlder ? older! : newest, at: footer.ratchet, keys)
        let opened = try MediaFrame.open(frame, codec, cipher: key.cipher)
        if isOlder { older = key } else { newest = key }
        return opened
    }

    /// The key at a step of its ratchet: at most 255 steps on.
    private static func key(
        _ epoch: EpochKey, at ratchet: UInt8, _ keys: borrowing CallKeys
    ) throws(FrameError) -> EpochKey {
        guard ratchet >= epoch.key.ratchet else { throw .ratchetPassed(ratchet) }
        guard ratchet > epoch.key.ratchet else { return epoch }
        var key = epoch.key
        while key.ratchet < ratchet {
            do throws(MediaKeyError) {
                key = try key.ratcheted()
            } catch {
                throw .ratchetPassed(ratchet)
            }
        }
        return EpochKey(key, keys)
    }
}

/// A media key with its expanded frame key.
private final class EpochKey: Sendable {
    let key: MediaKey
    let cipher: FrameCipher

    init(_ key: MediaKey, _ keys: borrowing CallKeys) {
        self.key = key
        cipher = FrameCipher(key: key.frameKey(keys))
    }
}
