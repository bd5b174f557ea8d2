import Encodings
import SecureMemory
import Threema

@testable import ThreemaMessages

/// One side of a conversation: a party with its stores in memory. It drives the pipeline as a program would.
struct Engine {
    let party: Party
    var contacts: [ThreemaID: PublicKey] = [:]
    var blocked: Set<ThreemaID> = []
    var nonces = NonceSet()
    var origins: Set<MessageOrigin> = []
    /// What an envelope holds; nil for none that opens.
    var unwrap: ([UInt8]) -> [UInt8]? = { _ in nil }
    private let ring = KeyRing()
    /// The questions that were asked, by name.
    var asked: [String] = []

    init(_ party: Party) { self.party = party }

    mutating func receive(_ payload: [UInt8]) throws -> IncomingResult {
        asked = []
        var pipeline = IncomingPipeline(payload.span, own: party.id)
        var step = pipeline.start()
        for _ in 0..<10 {
            switch step {
            case .lookUpNonce(let digest):
                asked.append("nonce")
                step = pipeline.answer(nonceIsUsed: nonces.digests.contains(digest))
            case .findContact(let id):
                asked.append("contact")
                step = try find(id, &pipeline)
            case .unwrap(let envelope, _):
                asked.append("unwrap")
                step = answer(unwrap(envelope), &pipeline)
            case .lookUpOrigin(let origin):
                asked.append("origin")
                step = pipeline.answer(isDuplicate: origins.contains(origin))
            case .finished(let result):
                if let digest = result.nonceDigest { nonces.digests.insert(digest) }
                if case .deliver(let message) = result.decision { origins.insert(message.origin) }
                return result
            }
        }
        throw Endless()
    }

    struct Endless: Error {}

    private func find(_ id: ThreemaID, _ pipeline: inout IncomingPipeline) throws -> IncomingPipeline.Step {
        guard let contact = contacts[id] else { return pipeline.refuseSender() }
        return pipeline.open(keys: try ring.keys(party, contact).keys, isBlocked: blocked.contains(id))
    }

    private func answer(_ inner: [UInt8]?, _ pipeline: inout IncomingPipeline) -> IncomingPipeline.Step {
        guard let inner else { return pipeline.answer(unwrapped: nil) }
        return pipeline.answer(unwrapped: inner.span)
    }

    mutating func send(_ message: Message, to other: Party) throws -> [UInt8] {
        let sealed = try message.seal(keys: ring.keys(party, other.publicKey).keys, notIn: nonces)
        if let digest = sealed.nonceDigest { nonces.digests.insert(digest) }
        return sealed.payload.encoded
    }

    /// Two that know each other.
    static func pair() throws -> (Engine, Engine) {
        var (alice, bob) = (Engine(try Party("000ALICE")), Engine(try Party("00000BOB")))
        alice.contacts[bob.party.id] = bob.party.publicKey
        bob.contacts[alice.party.id] = alice.party.publicKey
        return (alice, bob)
    }
}

/// Keys that were derived once.
final class KeyRing {
    final class Entry {
        let keys: ContactKeys
        init(_ keys: consuming ContactKeys) { self.keys = keys }
    }

    private var entries: [[UInt8]: Entry] = [:]

    func keys(_ own: Party, _ contact: PublicKey) throws -> Entry {
        if let entry = entries[contact.bytes] { return entry }
        let entry = Entry(try own.keys(with: contact))
        entries[contact.bytes] = entry
        return entry
    }
}

extension Message {
    /// A message with this body from one to the other, now.
    init(_ body: MessageBody, from sender: Party, to receiver: Party, id: MessageID = .random()) {
        self.init(
            from: sender.id, to: receiver.id, id: id, createdAt: Timestamp(milliseconds: 1_700_000_000_123), body: body)
    }
}
