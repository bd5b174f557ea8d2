internal import Encodings
internal import SecureMemory
internal import Threema
internal import ThreemaMessages

extension Conversation {
    /// Seals what is sent.
    /// - Parameters:
    ///   - message: the message of the output that is one.
    ///   - received: the nonce of the message that this answers.
    func commit<Used: UsedNonces, Source: RandomSource>(
        _ outputs: [Output], _ message: Message?, _ received: MessageNonce?, _ parties: borrowing Parties,
        _ circumstances: Circumstances<Used, Source>
    ) throws(SealingError<Used.Failure>) -> Commit {
        var queued: [QueuedMessage] = []
        var digests: [NonceDigest] = received.map { [$0.digest(for: parties.own)] } ?? []
        for output in outputs {
            let sent = self.message(of: output, message, parties, circumstances)
            let nonce = try circumstances.nonce(for: parties.own, notIn: digests)
            do throws(MessageError) {
                let payload = try sent.seal(
                    keys: parties.keys, nonce: nonce, randomPadding: circumstances.random.padding())
                queued.append(QueuedMessage(output.number, to: parties.contact, payload))
            } catch {
                throw .message(error)
            }
            if sent.body.needsReplayProtection { digests.append(nonce.digest(for: parties.own)) }
        }
        return Commit(
            contact: parties.contact, record: sessions.encoded(), queued: queued, removed: [], nonceDigests: digests)
    }

    private func message<Used: UsedNonces, Source: RandomSource>(
        of output: Output, _ message: Message?, _ parties: borrowing Parties,
        _ circumstances: Circumstances<Used, Source>
    ) -> Message {
        switch (output.content, message) {
        case (.unprotected, let message?): return message
        case (.message(let envelope), let message?):
            var sent = message
            sent.body = .forwardSecurity(envelope.encoded, inner: message.body.type)
            return sent
        case (.envelope(let envelope), _), (.message(let envelope), nil):
            return Message(
                from: parties.own, to: parties.contact,
                id: MessageID(bytes: circumstances.random.bytes(MessageID.count).span),
                createdAt: circumstances.now, body: .forwardSecurity(envelope.encoded))
        case (.unprotected, nil): preconditionFailure("only a message is sent as it is")
        }
    }
}

extension Circumstances {
    /// A nonce that was neither used before nor in this step.
    fileprivate func nonce(
        for own: ThreemaID, notIn digests: [NonceDigest]
    ) throws(SealingError<Used.Failure>) -> MessageNonce {
        do throws(Used.Failure) {
            var nonce = MessageNonce(random.bytes(MessageNonce.count))
            while true {
                let digest = nonce.digest(for: own)
                let isUsed = try used.contains(digest)
                guard isUsed || digests.contains(digest) else { return nonce }
                nonce = MessageNonce(random.bytes(MessageNonce.count))
            }
        } catch {
            throw .used(error)
        }
    }
}

extension RandomSource {
    /// A length of padding, uniform in 1...255.
    fileprivate func padding() -> Int {
        var length = 0
        while length == 0 { length = Int(bytes(1)[0]) }
        return length
    }
}
