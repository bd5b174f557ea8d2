import SecureMemory
import Threema
import ThreemaMessages
import VectorKit

@testable import ThreemaCalls

/// One side of a handshake, as a reference: noncopyable values cannot stand in an expectation.
final class TestPeer {
    let member: Member
    private let others: [Member]
    private let call: EnclosedKey
    private var handshake: PeerHandshake?
    private var session: PeerSession?

    init(
        _ role: PeerHandshake.Role, _ member: Member, others: [Member], call: EnclosedKey,
        secrets: HandshakeSecrets = .random(), nickname: String = "A nickname"
    ) {
        self.member = member
        self.others = others
        self.call = call
        handshake = PeerHandshake(
            role, as: member.id, nickname: nickname, members: Set(others.map(\.id)), keys: CallKeys(call),
            secrets: secrets)
    }

    func start() -> PeerHandshake.Step { handshake!.start() }

    func receive(_ message: [UInt8]) throws(HandshakeRefusal) -> PeerHandshake.Step {
        try handshake!.receive(message.span)
    }

    func authenticate(_ other: Member, _ keys: [MediaKey]) throws -> PeerHandshake.Step {
        let contact = try member.keys(with: other)
        return try handshake!.authenticate(contact: contact, mediaKeys: keys)
    }

    /// Ends the handshake.
    /// - Returns: who is on the other side; nil if it is not finished.
    func finish() -> ThreemaID? {
        session = handshake.take()!.finish()
        return session?.peer
    }

    func seal(_ content: PeerSession.Content) throws(CallMessageError) -> [UInt8] { try session!.seal(content) }
    func open(_ message: [UInt8]) throws(SessionRefusal) -> PeerSession.Content { try session!.open(message.span) }
}

extension PeerHandshake.Step {
    /// The only message to send.
    var message: [UInt8]? {
        guard case .send(let messages) = self, messages.count == 1 else { return nil }
        return messages[0]
    }
}

extension HandshakeSecrets {
    static func fixed(privateKey: [UInt8], challenge: [UInt8], helloNonce: [UInt8], authNonce: [UInt8]) -> Self {
        HandshakeSecrets(
            privateKey: EnclosedKey(copying: privateKey), challenge: challenge, helloNonce: helloNonce,
            authNonce: authNonce)
    }
}
