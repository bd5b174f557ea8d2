import SecureMemory
import Threema
import ThreemaForwardSecurity
import ThreemaMessages

extension Side {
    /// Receives a message, up to the acknowledgement.
    /// - Parameter crashes: whether the process dies before it has stored anything.
    package func receive(_ bytes: [UInt8], crashes: Bool = false) throws {
        var pipeline = IncomingPipeline(bytes.span, own: id)
        let payload = try MessagePayload(decoding: bytes.span)
        var next = disk
        var digests: [NonceDigest] = []
        var event: SessionEvent?
        var step = pipeline.start()
        var result: IncomingResult?
        for _ in 0..<6 where result == nil {
            switch step {
            case .lookUpNonce(let digest): step = pipeline.answer(nonceIsUsed: next.sessions.nonces.contains(digest))
            case .findContact: step = pipeline.open(keys: parties.keys, isBlocked: false)
            case .unwrap(let envelope, _):
                let inner = try unwrap(envelope, payload, &next, &digests, &event)
                if let inner {
                    step = pipeline.answer(unwrapped: inner.span)
                } else {
                    step = pipeline.answer(unwrapped: nil)
                }
            case .lookUpOrigin(let origin): step = pipeline.answer(isDuplicate: next.received.contains(origin))
            case .finished(let finished): result = finished
            }
        }
        guard let result else { throw Violation("the pipeline did not finish") }
        if let digest = result.nonceDigest, !digests.contains(digest) { digests.append(digest) }
        for digest in digests {
            guard next.sessions.nonces.insert(digest).inserted else { throw Violation("a nonce was used twice") }
        }
        guard !crashes else { return }
        if case .deliver(let message) = result.decision {
            next.received.insert(message.origin)
            if message.body != .empty { delivered[message.id, default: 0] += 1 }
            guard delivered[message.id, default: 0] <= 1 else { throw Violation("a message was delivered twice") }
        }
        disk = next
        if let event { events.append(event) }
    }

    private func unwrap(
        _ envelope: [UInt8], _ payload: MessagePayload, _ next: inout Disk, _ digests: inout [NonceDigest],
        _ event: inout SessionEvent?
    ) throws -> [UInt8]? {
        let received = try conversation().receive(envelope.span, of: payload, parties, circumstances)
        event = received.event
        digests = received.commit.nonceDigests
        try write(received.commit, to: &next, digests: [])
        if case .rejected(let rejection) = received.event, next.sent[rejection.messageID] != nil,
            !next.drafts.contains(rejection.messageID)
        {
            next.drafts.append(rejection.messageID)
        }
        switch received.inner {
        case .some(let inner): return inner.withBytes { $0.revealBytes() }
        case .none: return nil
        }
    }
}
