import Encodings
import SophaxChat
import SophaxMesh

/// One connection of a peer that carries messages for others.
struct Carrier {
    private var reader = FrameReader()
    private var rules: ConnectionRules
    private var gate: WireGate
    private var relays = RelayRules()
    /// What waits for peers that are not here.
    var held = HeldRelays()
    private var neighbour: PublicIdentity?

    init(own: PublicIdentity, at now: Timestamp) {
        rules = ConnectionRules(at: now)
        gate = WireGate(own: own)
    }

    /// Takes what has come, as a socket gives it: in pieces.
    mutating func take(_ bytes: [UInt8], at now: Timestamp) throws {
        for start in stride(from: 0, to: bytes.count, by: 1000) {
            let piece = bytes[start..<min(start + 1000, bytes.count)]
            for frame in try reader.read(Array(piece).span) { try take(frame: frame, at: now) }
        }
    }

    private mutating func take(frame: [UInt8], at now: Timestamp) throws {
        let message = try WireMessage(parsing: frame)
        try rules.receive(message.kind, at: now)
        let sender: PublicIdentity
        do throws(WireError) {
            sender = try gate.admit(message, known: neighbour, at: now)
        } catch {
            // It throws if the connection has to be closed.
            return try rules.refuse(error, at: now)
        }
        switch message.kind {
        case .hello:
            neighbour = sender
            print("a neighbour, to be closed after", rules.deadline - now)
        case .relay:
            let relay = try Relay(parsing: message.payload)
            switch relays.decide(relay, from: sender.peerID, own: gate.own, at: now) {
            case .forward(let next):
                print("held: \(held.hold(next, from: sender.peerID, at: now)), hops left: \(next.ttl)")
            case .drop(let reason): print("dropped:", reason)
            case .deliver: print("for this peer")
            }
        default: print("not for this program:", message.kind)
        }
    }
}
