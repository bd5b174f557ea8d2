import Encodings
import Keystore
import SecureMemory
import SessionStore
import Threema
import ThreemaForwardSecurity
import ThreemaMessages

/// An identity with its session store, and its sessions with one contact.
struct Account: ~Copyable {
    let store: OpenSessionStore
    private let parties: Parties
    private let records: LockedIdentity
    private let replay: ReplayStore

    struct NoSuchIdentity: Error {}

    init(_ id: String, writingTo contact: String, in keystore: OpenKeystore) throws {
        guard let owner = Owner(messenger: "threema", id: id) else { throw NoSuchIdentity() }
        let records = try keystore.lockedIdentity(owner, wait: .seconds(5))
        let own = try Self.identity(in: records.records)
        let parties = try Parties(
            own: own, contact: ThreemaID(contact), publicKey: Self.publicKey(of: contact, in: keystore))
        let key = keystore.digestKey("sessions")
        store = try records.withDirectory { directory in
            try OpenSessionStore(in: directory, messenger: owner.messenger, id: owner.id, key: key)
        }
        replay = ReplayStore(ownID: id)
        self.records = records
        self.parties = parties
    }

    private static func identity(in records: borrowing IdentityRecords) throws -> Identity {
        guard let bytes = try records.read("identity") else { throw NoSuchIdentity() }
        return try bytes.withBytes { try Identity(decoding: $0) }
    }

    private static func publicKey(of id: String, in keystore: OpenKeystore) throws -> PublicKey {
        guard let owner = Owner(messenger: "threema", id: id) else { throw NoSuchIdentity() }
        return try identity(in: keystore.identity(owner)).clientKey.publicKey
    }

    private var circumstances: Circumstances<StoredNonces, SystemRandom> {
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        return Circumstances(now: now, used: StoredNonces(replay: replay, store: store))
    }

    private func conversation() throws -> Conversation {
        guard let record = try store.read("ibex", parties.contact.bytes) else { return Conversation() }
        return try record.withBytes { try Conversation(decoding: $0) }
    }

    /// Everything of a step, in the caller's transaction.
    private func write(
        _ commit: borrowing Commit, _ digests: [NonceDigest], in changes: borrowing Transaction
    ) throws {
        for digest in digests { try replay.remember(digest: digest.bytes, in: changes) }
        for message in commit.queued { try changes.set("outbox", message.name, message.payload.encoded.span) }
        for name in commit.removed { try changes.remove("outbox", name) }
        try commit.record.withBytes { try changes.set("ibex", commit.contact.bytes, $0) }
    }

    /// Ends the sessions of a copied store, whose chains may have gone on elsewhere. Call it before anything else.
    func takeIntoUse() throws {
        guard store.origin == .copied else { return }
        let commit = try conversation().end(.reset, parties, circumstances)
        try store.adopt { try write(commit, commit.nonceDigests, in: $0) }
    }

    /// Seals a text, and stores it to be sent.
    func seal(_ text: String) throws {
        let message = Message(
            from: parties.own, to: parties.contact, id: .random(), createdAt: circumstances.now,
            body: .chat(.text(text)))
        let sealed = try conversation().seal(message, parties, circumstances)
        try store.transaction { try write(sealed.commit, sealed.commit.nonceDigests, in: $0) }
    }

    /// The next message to be sent, with its number.
    func firstUnsent() throws -> (number: UInt64, payload: [UInt8])? {
        guard let number = try conversation().unsent.first,
            let payload = try store.read("outbox", Conversation.outboxName(parties.contact, number))
        else { return nil }
        return (number, try payload.withBytes { try MessagePayload(decoding: $0).encoded })
    }

    /// The chat server has acknowledged the message.
    func sent(_ number: UInt64) throws {
        let commit = try conversation().acknowledge(number, to: parties.contact)
        try store.transaction { try write(commit, [], in: $0) }
    }

    /// - Returns: the text of a message, and what protects it; nil for an envelope without a message.
    func receive(_ bytes: Span<UInt8>) throws -> String? {
        let payload = try MessagePayload(decoding: bytes)
        var pipeline = IncomingPipeline(bytes, own: parties.own)
        var received: Received?
        var step = pipeline.start()
        while true {
            switch step {
            case .lookUpNonce(let digest):
                step = pipeline.answer(nonceIsUsed: try replay.contains(digest: digest.bytes, in: store))
            case .findContact: step = pipeline.open(keys: parties.keys, isBlocked: false)
            case .unwrap(let envelope, _):
                let opened = try conversation().receive(envelope.span, of: payload, parties, circumstances)
                step = opened.answer(&pipeline)
                received = consume opened
            case .lookUpOrigin(let origin):
                step = pipeline.answer(isDuplicate: try store.contains("message", origin.bytes))
            case .finished(let result): return try keep(result, received)
            }
        }
    }

    /// Message, nonce, session and answers change together. Only then may the message be acknowledged.
    private func keep(_ result: IncomingResult, _ received: borrowing Received?) throws -> String? {
        try store.transaction { changes in
            switch received {
            case .some(let received):
                try write(received.commit, received.commit.nonceDigests(with: result), in: changes)
            case .none:
                if let digest = result.nonceDigest { try replay.remember(digest: digest.bytes, in: changes) }
            }
            guard case .deliver(let message) = result.decision, case .chat(.text(let text)) = message.body else {
                return nil
            }
            try changes.set("message", message.origin.bytes, Array(text.utf8).span)
            return "\(parties.own) reads: \(text) (\(Self.protection(received)))"
        }
    }

    private static func protection(_ received: borrowing Received?) -> String {
        switch received {
        case .some(let received):
            guard case .message(let mode, skipped: _) = received.event else { return "none" }
            return mode == .fourDH ? "4DH" : "2DH"
        case .none: return "none"
        }
    }
}

/// The used nonces that the steps ask for, in a session store.
struct StoredNonces: UsedNonces {
    let replay: ReplayStore
    let store: OpenSessionStore

    func contains(_ digest: NonceDigest) throws(SessionStoreError) -> Bool {
        try replay.contains(digest: digest.bytes, in: store)
    }
}
