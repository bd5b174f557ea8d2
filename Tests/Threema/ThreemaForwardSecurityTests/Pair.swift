import IbexModel
import Threema
import ThreemaMessages

@testable import ThreemaForwardSecurity

/// Two clients, and what goes between them.
final class Pair {
    static let alice = 0
    static let bob = 1

    let sides: [Side]

    init(seed: UInt64 = 1) throws { sides = try RandomRun.pair(RepeatableRandom(seed: seed)) }

    /// Seals a message.
    /// - Returns: everything that was sent, which may begin with an Init.
    func post(_ place: Int, _ body: MessageBody = .chat(.text("Hello"))) throws -> [[UInt8]] {
        _ = sides[place].compose(body)
        try sides[place].sealDraft()
        return try flush(place)
    }

    /// Sends the outbox.
    func flush(_ place: Int) throws -> [[UInt8]] {
        var sent: [[UInt8]] = []
        for _ in 0..<100 {
            guard let (number, payload) = try sides[place].firstQueued() else { break }
            sent.append(payload)
            try sides[place].acknowledged(number, payload)
        }
        return sent
    }

    /// - Returns: what the envelopes have meant.
    @discardableResult
    func deliver(_ payloads: [[UInt8]], to place: Int) throws -> [SessionEvent] {
        sides[place].events = []
        for payload in payloads { try sides[place].receive(payload) }
        return sides[place].events
    }

    /// An envelope from one side, whatever its sessions are.
    func forge(_ envelope: Envelope, from place: Int) throws -> [UInt8] { try forge(envelope.encoded, from: place) }

    func forge(_ envelope: [UInt8], from place: Int) throws -> [UInt8] {
        let side = sides[place]
        let message = Message(
            from: side.id, to: side.contact, id: .random(), createdAt: side.now, body: .forwardSecurity(envelope))
        return try message.seal(keys: side.parties.keys, notIn: side.disk.sessions).payload.encoded
    }

    func id(_ payload: [UInt8]) throws -> MessageID { try MessagePayload(decoding: payload.span).id }

    /// What is in an envelope; nil for a message without forward security.
    func envelope(_ payload: [UInt8]) throws -> Envelope? {
        let message = try MessagePayload(decoding: payload.span).open(keys: sides[0].parties.keys)
        guard case .forwardSecurity(let bytes, _) = message.body else { return nil }
        return try Envelope(decoding: bytes.span)
    }

    func encapsulated(_ payload: [UInt8]) throws -> (session: SessionID, message: Encapsulated)? {
        guard let envelope = try envelope(payload), case .encapsulated(let message) = envelope.content else {
            return nil
        }
        return (envelope.session, message)
    }

    /// The states of the sessions that the side and its contact have begun.
    func states(_ place: Int) throws -> [Session.State?] {
        let conversation = try sides[place].conversation()
        return [conversation.sessions.local.state, conversation.sessions.remote.state]
    }

    func best(_ place: Int) throws -> SessionID? {
        let conversation = try sides[place].conversation()
        return conversation.sessions.best == .local ? conversation.sessions.local.id : conversation.sessions.remote.id
    }

    /// Alice has begun, both have sent and received.
    static func agreed(seed: UInt64 = 1) throws -> Pair {
        let pair = try Pair(seed: seed)
        try pair.deliver(pair.post(alice), to: bob)
        try pair.deliver(pair.post(bob), to: alice)
        try pair.deliver(pair.post(alice), to: bob)
        return pair
    }
}
