import Threema
import ThreemaCalls
import ThreemaMessages

/// Somebody in the call: one key for what this one says, and a link to each of the others.
final class Participant {
    let id: ThreemaID
    private let clientKey = ClientKey.random()
    private let start: GroupCallStart
    private let members: Set<ThreemaID>
    private var sender: MediaSender
    private var links: [ThreemaID: Link] = [:]

    /// What is known of one of the others.
    private final class Link {
        var handshake: PeerHandshake?
        var session: PeerSession?
        var receiver: MediaReceiver?

        init(_ handshake: consuming PeerHandshake) { self.handshake = consume handshake }
    }

    init(_ id: String, _ start: GroupCallStart, _ members: Set<ThreemaID>) throws {
        self.id = try ThreemaID(id)
        self.start = start
        self.members = members
        sender = MediaSender(CallKeys(start.key))
    }

    /// - Returns: the first messages to the other one.
    func begin(_ role: PeerHandshake.Role, with other: Participant) throws -> [[UInt8]] {
        // Who is new gets no key that opens what was said before.
        if role == .present { try sender.participantJoined() }
        let handshake = PeerHandshake(role, as: id, nickname: "", members: members, keys: CallKeys(start.key))
        let link = Link(handshake)
        links[other.id] = link
        return try proceed(link, link.handshake!.start(), with: other)
    }

    /// - Returns: messages to the other one.
    func receive(_ message: [UInt8], from other: Participant) throws -> [[UInt8]] {
        let link = links[other.id]!
        if link.handshake != nil { return try proceed(link, link.handshake!.receive(message.span), with: other) }
        // After the handshake: here, only new keys.
        guard case .rekey(let key)? = try link.session?.open(message.span) else { return [] }
        try link.receiver?.add(key)
        return []
    }

    private func proceed(_ link: Link, _ step: PeerHandshake.Step, with other: Participant) throws -> [[UInt8]] {
        switch step {
        case .send(let messages): return messages
        case .findContact:
            // The public key is that of the contact; a program looks it up by the ID that the step names.
            let contact = try ContactKeys(own: clientKey, contact: other.clientKey.publicKey)
            let next = try link.handshake!.authenticate(contact: contact, mediaKeys: sender.distributed)
            return try proceed(link, next, with: other)
        case .finished(let mediaKeys):
            link.receiver = try MediaReceiver(CallKeys(start.key), mediaKeys)
            link.session = link.handshake.take()?.finish()
            return []
        }
    }

    /// Somebody has left: the others get a new key.
    /// - Returns: the message to each of them.
    func left(_ other: Participant, at now: ContinuousClock.Instant) throws -> [[UInt8]] {
        links[other.id] = nil
        guard let key = sender.participantLeft(at: now) else { return [] }
        return try links.values.compactMap { try $0.session?.seal(.rekey(key)) }
    }

    /// - Returns: an encrypted frame, which the server forwards to all.
    func say(_ text: String, at now: ContinuousClock.Instant = .now) throws -> [UInt8] {
        // A further key is to be sent only if somebody else has left in the meantime.
        _ = sender.advance(to: now)
        return try sender.seal(Array(text.utf8).span, .opus)
    }

    func hear(_ frame: [UInt8], from other: Participant) throws -> String {
        do throws(FrameError) {
            let opened = try links[other.id]!.receiver!.open(frame.span, .opus)
            return String(decoding: opened, as: UTF8.self)
        } catch .ratchetPassed, .unknownEpoch {
            return "nothing"
        }
    }
}
