import Encodings
import Threema
import ThreemaMessages

/// Two identities that know each other's public key: one seals a message, the other one opens it, once.
///
///     echo 'TEXT' | seal-message
@main
struct SealMessage {
    static func main() throws {
        let alice = Identity(id: .random(), clientKey: .random())
        let bob = Identity(id: .random(), clientKey: .random())
        var sent = Nonces()
        var received = Nonces()

        let keys = try ContactKeys(own: alice.clientKey, contact: bob.clientKey.publicKey)
        let payload = try seal(readLine() ?? "", from: alice.id, to: bob.id, keys: keys, &sent)
        print("\(payload.sender == alice.id ? "Alice" : "?") sends \(sent.digests.count) message")
        for _ in 0..<2 { print(try receive(payload.encoded, own: bob, from: alice.clientKey.publicKey, &received)) }
    }

    static func seal(
        _ text: String, from own: ThreemaID, to contact: ThreemaID, keys: borrowing ContactKeys, _ used: inout Nonces
    ) throws -> MessagePayload {
        let message = Message(
            from: own, to: contact, id: .random(), createdAt: Timestamp(milliseconds: 1_700_000_000_000),
            body: .chat(.text(text)))
        let sealed = try message.seal(keys: keys, notIn: used)
        // Before the payload leaves.
        if let digest = sealed.nonceDigest { used.digests.insert(digest) }
        return sealed.payload
    }

    /// - Returns: what became of the message.
    static func receive(
        _ payload: [UInt8], own: borrowing Identity, from contact: PublicKey, _ used: inout Nonces
    ) throws -> String {
        var pipeline = IncomingPipeline(payload.span, own: own.id)
        var step = pipeline.start()
        while true {
            switch step {
            case .lookUpNonce(let digest): step = pipeline.answer(nonceIsUsed: used.contains(digest))
            case .findContact:
                let keys = try ContactKeys(own: own.clientKey, contact: contact)
                step = pipeline.open(keys: keys, isBlocked: false)
            case .unwrap: step = pipeline.answer(unwrapped: nil)
            case .lookUpOrigin: step = pipeline.answer(isDuplicate: false)
            case .finished(let result):
                if let digest = result.nonceDigest { used.digests.insert(digest) }
                guard case .deliver(let message) = result.decision, case .chat(.text(let text)) = message.body else {
                    return "\(result.decision)"
                }
                return "Bob reads: \(text)"
            }
        }
    }
}

/// Used nonces in memory. A real program keeps them on disk.
struct Nonces: UsedNonces {
    var digests: Set<NonceDigest> = []
    func contains(_ digest: NonceDigest) throws(Never) -> Bool { digests.contains(digest) }
}
