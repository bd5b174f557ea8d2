import Encodings
import Keystore
import SecureMemory
import SessionStore
import Threema
import ThreemaMessages

/// An identity with its session store, which the process has for itself.
struct Account: ~Copyable {
    let identity: Identity
    let store: OpenSessionStore
    private let records: LockedIdentity
    private let replay: ReplayStore

    var id: ThreemaID { identity.id }
    private var nonces: StoredNonces { StoredNonces(replay: replay, store: store) }

    init(_ id: String, in keystore: OpenKeystore) throws {
        struct NoSuchIdentity: Error {}
        guard let owner = Owner(messenger: "threema", id: id) else { throw NoSuchIdentity() }
        let records = try keystore.lockedIdentity(owner, wait: .seconds(5))
        guard let bytes = try records.records.read("identity") else { throw NoSuchIdentity() }
        let identity = try bytes.withBytes { try Identity(decoding: $0) }
        let key = keystore.digestKey("sessions")
        store = try records.withDirectory { directory in
            try OpenSessionStore(in: directory, messenger: owner.messenger, id: owner.id, key: key)
        }
        replay = ReplayStore(ownID: id)
        self.identity = identity
        self.records = records
    }

    /// Nonce and message are on the disk before the message can be sent.
    func send(_ text: String, to contact: ThreemaID, keys: borrowing ContactKeys) throws {
        let message = Message(
            from: id, to: contact, id: .random(), createdAt: Timestamp(milliseconds: 1_700_000_000_000),
            body: .chat(.text(text)))
        let sealed = try message.seal(keys: keys, notIn: nonces)
        try store.transaction { changes in
            if let digest = sealed.nonceDigest { try replay.remember(digest: digest.bytes, in: changes) }
            try changes.set("queue", contact.bytes, sealed.payload.encoded.span)
        }
    }

    /// - Returns: what became of the message.
    func receive(_ payload: Span<UInt8>, from contact: PublicKey) throws -> String {
        var pipeline = IncomingPipeline(payload, own: id)
        var step = pipeline.start()
        while true {
            switch step {
            case .lookUpNonce(let digest): step = pipeline.answer(nonceIsUsed: try nonces.contains(digest))
            case .findContact:
                let keys = try ContactKeys(own: identity.clientKey, contact: contact)
                step = pipeline.open(keys: keys, isBlocked: false)
            case .unwrap: step = pipeline.answer(unwrapped: nil)
            case .lookUpOrigin(let origin):
                step = pipeline.answer(isDuplicate: try store.contains("message", origin.bytes))
            case .finished(let result):
                try keep(result)
                // Only now may the acknowledgement be sent.
                guard case .deliver(let message) = result.decision, case .chat(.text(let text)) = message.body else {
                    return "\(result.decision)"
                }
                return "\(id) reads: \(text)"
            }
        }
    }

    /// Nonce, message and session change together, or not at all.
    private func keep(_ result: IncomingResult) throws {
        try store.transaction { changes in
            if let digest = result.nonceDigest { try replay.remember(digest: digest.bytes, in: changes) }
            guard case .deliver(let message) = result.decision, case .chat(.text(let text)) = message.body else {
                return
            }
            let count = try store.read("session", message.sender.bytes)?.withBytes { $0[0] } ?? 0
            try changes.set("message", message.origin.bytes, Array(text.utf8).span)
            try changes.set("session", message.sender.bytes, [count &+ 1].span)
        }
    }
}
