internal import Encodings
internal import SecureMemory
public import SessionStore
internal import Threema
internal import ThreemaForwardSecurity
internal import ThreemaMessages

// Receiving one message. MailboxBatches receives many.

extension Mailbox {
    /// Takes a message of the chat server, stores what it changes, and only then says how to acknowledge it.
    ///
    /// After an error, close the connection and call ``restart()`` on a fresh one: there the message comes again, before
    /// the later ones. If a later message of the same sender were taken first, the key of this one would be gone.
    /// - Parameters:
    ///   - payload: of `ChatPayload.incomingMessage`.
    ///   - store: called in the transaction, for each message that the sender has made: what the program stores of it
    ///     and what it answers, with ``send(_:to:id:in:)``, changes with the message or not at all.
    /// - Throws: what `store` and the search throw, `SessionStoreError`, `RecordError`, `.malformedValue`. Then nothing has
    ///   changed, and the message comes again because it is not acknowledged. `.connectionOver` after any of these, until
    ///   ``restart()``. A message that is refused is no error.
    public func receive(
        _ payload: Span<UInt8>, and store: (Incoming, borrowing Transaction) throws -> Void = { _, _ in }
    ) throws -> Incoming {
        guard !hasFailed else { throw MailboxError.connectionOver }
        hasFailed = true
        let incoming = try take(payload, find) { incoming, finished in
            try self.store.transaction { try keep(incoming, finished, in: $0, store) }
        }
        hasFailed = false
        return incoming
    }

    /// Decides what becomes of a message.
    /// - Parameters:
    ///   - find: looks for its sender.
    ///   - keep: stores what the message changes. It is not called for one that changes nothing.
    func take(
        _ payload: Span<UInt8>, _ find: (ThreemaID) throws -> Contact?,
        keep: (Incoming, borrowing Taken) throws -> Void
    ) throws -> Incoming {
        var pipeline = IncomingPipeline(payload, own: own.id)
        var partner: Partner?
        var received: Received?
        var step = pipeline.start()
        while true {
            switch step {
            case .lookUpNonce(let digest): step = pipeline.answer(nonceIsUsed: try nonces.contains(digest))
            case .findContact(let id):
                partner = try find(id).map(self.partner)
                step = partner?.open(&pipeline) ?? pipeline.refuseSender()
            case .unwrap(let envelope, _):
                guard let partner else { preconditionFailure("the pipeline has asked for the contact") }
                let opened = try conversation(with: partner.contact.id).receive(
                    envelope.span, of: MessagePayload(decoding: payload), partner.parties,
                    circumstances(partner.contact))
                step = opened.answer(&pipeline)
                received = consume opened
            case .lookUpOrigin(let origin):
                step = pipeline.answer(isDuplicate: try self.store.contains("message", origin.bytes))
            case .finished(let result):
                let judgement = try judge(result, find)
                let incoming = try incoming(result, received, partner, judgement?.refusal)
                // Nothing that an outsider could have made is stored.
                let isAuthentic = incoming.delivered != nil || incoming.event != nil || result.nonceDigest != nil
                guard let partner, isAuthentic else { return incoming }
                try keep(incoming, Taken(received: consume received, partner: partner, judgement: judgement))
                return incoming
            }
        }
    }

    /// Nonce, session, answers and message change together.
    func keep(
        _ incoming: Incoming, _ taken: borrowing Taken, in changes: borrowing Transaction,
        _ store: (Incoming, borrowing Transaction) throws -> Void
    ) throws {
        try add(taken.partner.contact, in: changes)
        if case .rejected(let rejection) = incoming.event, rejection.cause == .disabled {
            // Until the directory says otherwise: in a session, none of what is sent again would be read either.
            var contact = taken.partner.contact
            if contact.forwardSecurity == .enabled {
                contact.forwardSecurity = .unsupportedByContact
                try set(contact, in: changes)
            }
        }
        try write(incoming, taken, in: changes)
        if incoming.result.nonceDigest != nil, let message = incoming.delivered {
            try changes.set("message", message.origin.bytes, Span())
            if let judgement = taken.judgement { try carryOut(judgement, of: message, in: changes) }
        }
        switch incoming.delivered?.body {
        case .profilePicture(let picture): try want(picture, named: taken.partner.contact.id.bytes, in: changes)
        case .requestProfilePicture: try shareAgain(with: taken.partner.contact, in: changes)
        case .chat(.deliveryReceipt(let receipt)), .groupChat(_, .deliveryReceipt(let receipt)):
            try forget(receipt.messageIDs, to: taken.partner.contact.id, in: changes)
        case .chat, .groupChat, .typing, .groupSetup, .groupName, .groupPicture, .groupSyncRequest, .groupLeave,
            .groupCallStart, .forwardSecurity, .empty, .opaque, nil:
            break
        }
        try store(incoming, changes)
    }

    private func incoming(
        _ result: IncomingResult, _ received: borrowing Received?, _ partner: Partner?, _ refusal: GroupDiscard?
    ) throws -> Incoming {
        let sender = partner?.contact.id
        switch received {
        case .some(let received):
            return Incoming(result: result, sender: sender, event: received.event, refusal: refusal, unprotected: nil)
        case .none:
            guard case .deliver(let message) = result.decision, let contact = partner?.contact else {
                return Incoming(result: result, sender: sender, event: nil, refusal: refusal, unprotected: nil)
            }
            let isExpected = contact.forwardSecurity != .enabled
            let judged = try conversation(with: contact.id).judge(unprotected: message.body.type)
            return Incoming(
                result: result, sender: sender, event: nil, refusal: refusal,
                unprotected: isExpected ? .expected : judged)
        }
    }

    /// The commit of the envelope, or of the session that the first message without one begins.
    private func write(
        _ incoming: Incoming, _ taken: borrowing Taken, in changes: borrowing Transaction
    ) throws {
        switch taken.received {
        case .some(let received):
            try write(received.commit, received.commit.nonceDigests(with: incoming.result), in: changes)
        case .none:
            if let digest = incoming.result.nonceDigest { try replay.remember(digest: digest.bytes, in: changes) }
            guard incoming.unprotected == .noSession else { return }
            let contact = taken.partner.contact
            let commit = try conversation(with: contact.id).begin(taken.partner.parties, circumstances(contact))
            try write(commit, commit.nonceDigests, in: changes)
        }
    }
}

/// What was found out about a message before it is stored.
struct Taken: ~Copyable {
    /// Nil for a message without an envelope.
    let received: Received?
    /// The sender.
    let partner: Partner
    /// Nil for a message that is none of a group.
    let judgement: GroupJudgement?
}
