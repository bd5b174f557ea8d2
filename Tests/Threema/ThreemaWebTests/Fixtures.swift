import Primitives
import SecureMemory
import Synchronization
import Testing
import Threema
import VectorKit

@testable import ThreemaWeb

/// A copy in guarded memory.
func secure(_ bytes: [UInt8]) -> SecureBytes { SecureBytes(copying: bytes.span) }

/// Bytes that differ by their first one.
func bytes(_ seed: UInt8, _ count: Int = 32) -> [UInt8] { (0..<count).map { seed &+ UInt8($0 & 0xff) &* 7 } }

extension SeededRandom {
    /// A message of the same length with up to four other bytes.
    func changed(_ bytes: [UInt8]) -> [UInt8] {
        var changed = bytes
        while changed == bytes {
            for _ in 0...number(below: 3) { changed[number(below: bytes.count)] ^= UInt8(1 + number(below: 255)) }
        }
        return changed
    }
}

/// Counts, so that each cookie, number and key that is drawn is another one, and the same in each run.
final class Drawn: Sendable {
    private let count: Atomic<Int>

    init(_ start: Int) { count = Atomic(start) }

    private func next() -> Int { count.add(1, ordering: .relaxed).newValue }

    var randomness: SignalingRandomness {
        SignalingRandomness(
            cookie: { SignalingCookie(bytes(UInt8(truncatingIfNeeded: self.next()), 16)) },
            sequence: { UInt32(self.next()) << 8 },
            sessionKey: { SessionKey(secure(bytes(UInt8(truncatingIfNeeded: self.next() + 100)))) })
    }
}

/// Who pairs where, always with the same permanent keys.
enum Scene {
    static let initiatorKey = PermanentKey(secure(bytes(1)))
    static let responderKey = PermanentKey(secure(bytes(2)))
    static let otherKey = PermanentKey(secure(bytes(3)))
    static let serverKey = PermanentKey(secure(bytes(4)))
    static let token = AuthToken(secure(bytes(5)))
    static let tasks = [OfferedTask(.relayedData)]

    static func initiator(
        _ trust: InitiatorClient.Trust = .token(token), serverKey: PublicKey? = serverKey.publicKey,
        tasks: [OfferedTask] = tasks, start: Int = 10
    ) -> InitiatorClient {
        InitiatorClient(
            key: initiatorKey, trust: trust, serverKey: serverKey, tasks: tasks, randomness: Drawn(start).randomness)
    }

    static func responder(
        _ token: AuthToken? = token, key: PermanentKey = responderKey, serverKey: PublicKey? = serverKey.publicKey,
        tasks: [OfferedTask] = tasks, start: Int = 40
    ) -> ResponderClient {
        ResponderClient(
            key: key, initiatorKey: initiatorKey.publicKey, token: token, serverKey: serverKey, tasks: tasks,
            randomness: Drawn(start).randomness)
    }
}

/// A client, where the compiler need not follow it through functions that throw.
final class Client {
    private var initiator: InitiatorClient?
    private var responder: ResponderClient?

    init(_ initiator: consuming InitiatorClient) {
        self.initiator = consume initiator
        responder = nil
    }

    init(_ responder: consuming ResponderClient) {
        self.responder = consume responder
        initiator = nil
    }

    func receive(_ message: [UInt8]) -> SignalingProgress {
        initiator?.receive(message.span) ?? responder!.receive(message.span)
    }

    func send(_ message: PeerMessage) throws -> [UInt8] {
        initiator == nil ? try responder!.send(message) : try initiator!.send(message)
    }

    func close(_ code: CloseCode = .goingAway) -> SignalingProgress {
        initiator == nil ? responder!.close(code) : initiator!.close(code)
    }

    func drop(_ address: SignalingAddress) -> [UInt8]? { initiator!.drop(address) }

    var peer: PairedPeer? { initiator?.peer ?? responder?.peer }
}
