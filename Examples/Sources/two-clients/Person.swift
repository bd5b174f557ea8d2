import Encodings
import TCPTransport
import Threema
import ThreemaChat
import ThreemaForwardSecurity
import ThreemaMessages

/// A client with one contact. It has in memory what a real one stores in one transaction for each step (write-forward).
final class Person {
    private let parties: Parties
    private let session: ChatSession
    private var record: EnclosedBytes?
    /// Messages that the server has not acknowledged: their numbers in the outbox.
    private var unacknowledged: [MessageID: UInt64] = [:]
    private var nonces = Nonces()
    private var origins: Set<MessageOrigin> = []

    init(_ own: borrowing Identity, contact: ThreemaID, key: PublicKey, server: PublicKey, port: UInt16) throws {
        parties = try Parties(own: own, contact: contact, publicKey: key)
        let stream = try TCPStream(host: "localhost", port: port, within: .seconds(20))
        let client = ChatClient(
            identity: own, serverKeys: [server], extensions: try LoginExtensions([.clientInfo("1.0;L;en/CH")]))
        let start = ContinuousClock.now
        session = try ChatSession(client, on: stream) { start.duration(to: .now) }
    }

    private var circumstances: Circumstances<Nonces, SystemRandom> {
        Circumstances(now: Timestamp(milliseconds: 1_700_000_000_000), used: nonces)
    }

    private func conversation() throws -> Conversation {
        guard let record else { return Conversation() }
        return try record.bytes.withBytes { try Conversation(decoding: $0) }
    }

    func send(_ body: MessageBody, id: MessageID = .random()) throws {
        let message = Message(
            from: parties.own, to: parties.contact, id: id, createdAt: circumstances.now, body: body)
        try keep(conversation().seal(message, parties, circumstances).commit)
    }

    /// Only what is stored may be sent.
    private func keep(_ commit: borrowing Commit) throws {
        record = commit.record.withBytes { EnclosedBytes(copying: $0) }
        nonces.digests.formUnion(commit.nonceDigests)
        for message in commit.queued { unacknowledged[message.payload.id] = message.number }
        try session.send(commit.queued.map { .outgoingMessage($0.payload.encoded) })
    }

    /// - Returns: the next message, and what protects it; nil if none comes in time.
    func receive() throws -> (message: Message, mode: DHMode)? {
        while let payload = try session.receive(within: .seconds(20)) {
            switch payload {
            case .incomingMessage(let bytes):
                if let received = try open(bytes) { return received }
            case .serverAcknowledgement(let named):
                // Not every message is from the outbox.
                guard let number = unacknowledged.removeValue(forKey: named.id) else { continue }
                try keep(conversation().acknowledge(number, to: parties.contact))
            default: break
            }
        }
        return nil
    }

    private func open(_ bytes: [UInt8]) throws -> (message: Message, mode: DHMode)? {
        let payload = try MessagePayload(decoding: bytes.span)
        var pipeline = IncomingPipeline(bytes.span, own: parties.own)
        var mode: DHMode?
        var step = pipeline.start()
        while true {
            switch step {
            case .lookUpNonce(let digest): step = pipeline.answer(nonceIsUsed: nonces.contains(digest))
            case .findContact: step = pipeline.open(keys: parties.keys, isBlocked: false)
            case .unwrap(let envelope, _):
                let opened = try conversation().receive(envelope.span, of: payload, parties, circumstances)
                if case .message(let protection, skipped: _) = opened.event { mode = protection }
                step = opened.answer(&pipeline)
                try keep(opened.commit)
            case .lookUpOrigin(let origin): step = pipeline.answer(isDuplicate: !origins.insert(origin).inserted)
            case .finished(let result):
                if let digest = result.nonceDigest { nonces.digests.insert(digest) }
                if let acknowledgement = ChatPayload(acknowledging: result) { try session.send(acknowledgement) }
                guard case .deliver(let message) = result.decision, let mode else { return nil }
                return (message, mode)
            }
        }
    }
}

/// Used nonces in memory.
struct Nonces: UsedNonces {
    var digests: Set<NonceDigest> = []
    func contains(_ digest: NonceDigest) throws(Never) -> Bool { digests.contains(digest) }
}
