import Primitives
import SecureMemory
import Threema
import ThreemaMessages
import VectorKit

@testable import ThreemaCalls

/// A member of a group, with the keys of the tests in ordinary memory.
struct Member: Sendable {
    let id: ThreemaID
    let privateKey: [UInt8]

    init(_ id: String, _ privateKey: [UInt8] = Random.bytes(32)) throws {
        self.id = try ThreemaID(id)
        self.privateKey = privateKey
    }

    func keys(with other: Member) throws -> ContactKeys {
        let publicKey = PublicKey(X25519.publicKey(of: other.privateKey.span))!
        return try ContactKeys(own: ClientKey(SecureBytes(copying: privateKey.span)), contact: publicKey)
    }
}

extension EnclosedKey {
    convenience init(copying bytes: [UInt8]) { self.init(SecureBytes(copying: bytes.span)) }
}

/// A sender or receiver of frames, as a reference: noncopyable values cannot stand in an expectation.
final class TestSender {
    private var sender: MediaSender

    init(_ call: EnclosedKey, epoch: UInt8 = 0, counter: UInt32 = 1) {
        sender = MediaSender(CallKeys(call), key: .random(), epoch: epoch, counter: counter)
    }

    var current: MediaKey { sender.current }
    var distributed: [MediaKey] { sender.distributed }
    var nextChange: ContinuousClock.Instant? { sender.nextChange }

    func participantJoined() throws(MediaKeyError) { try sender.participantJoined() }
    func participantLeft(at now: ContinuousClock.Instant) -> MediaKey? { sender.participantLeft(at: now) }
    func advance(to now: ContinuousClock.Instant) -> MediaKey? { sender.advance(to: now) }
    func seal(_ frame: [UInt8], _ codec: MediaFrame.Codec) throws(FrameError) -> [UInt8] {
        try sender.seal(frame.span, codec)
    }
}

/// The other side.
final class TestReceiver {
    private var receiver: MediaReceiver

    init(_ call: EnclosedKey, _ keys: [MediaKey]) throws(MediaKeyError) {
        receiver = try MediaReceiver(CallKeys(call), keys)
    }

    func add(_ key: MediaKey) throws(MediaKeyError) { try receiver.add(key) }
    func open(_ frame: [UInt8], _ codec: MediaFrame.Codec) throws(FrameError) -> [UInt8] {
        try receiver.open(frame.span, codec)
    }
}

extension [UInt8] {
    /// A copy that is changed at random: bits, cuts, repetitions, insertions. Never the same bytes.
    func mutated(_ random: inout some RandomNumberGenerator) -> [UInt8] {
        while true {
            var bytes = self
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[Int.random(in: bytes.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
            case 2:
                bytes.insert(.random(in: 0...255, using: &random), at: Int.random(in: 0...bytes.count, using: &random))
            case 3: bytes.removeFirst(Int.random(in: 1...bytes.count, using: &random))
            default: bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            if bytes != self { return bytes }
        }
    }
}
