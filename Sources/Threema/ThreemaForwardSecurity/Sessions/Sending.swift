internal import Encodings
internal import Primitives
internal import SecureMemory
internal import Threema
package import ThreemaMessages

extension SessionSet {
    /// How long a session may be idle before an empty message is sent with it.
    package static let refreshInterval = Duration.hours(24)

    /// Begins a session, if there is none.
    package mutating func begin<Used: UsedNonces, Source: RandomSource>(
        _ parties: borrowing Parties, _ circumstances: Circumstances<Used, Source>
    ) -> [Output] {
        guard circumstances.policy == .enabled, best == nil else { return [] }
        let id = SessionID(circumstances.random.bytes(SessionID.count))
        let ephemeral = circumstances.random.secret(ClientKey.count)
        let publicKey = ephemeral.withBytes { X25519.publicKey(of: $0) }
        // `Parties` has refused a weak key of the contact.
        local = try! Session.begun(id, ephemeral: ephemeral, parties, at: circumstances.now)
        return [enqueue(id, .initiate(KeyShare(publicKey: publicKey, versions: circumstances.supported)))]
    }

    /// Encrypts a message with the best session, which is begun if there is none. If no session protects messages of
    /// this type, the output is the message as it is.
    /// - Parameters:
    ///   - inner: type ‖ body.
    ///   - group: the group of the message.
    /// - Returns: what is sent before the message, and the message as the last one.
    package mutating func send<Used: UsedNonces, Source: RandomSource>(
        _ inner: Span<UInt8>, _ type: MessageType, group: GroupIdentity?, _ parties: borrowing Parties,
        _ circumstances: Circumstances<Used, Source>
    ) -> [Output] {
        guard let minimum = type.minimumVersion else { return [enqueue(.unprotected)] }
        if let cause = circumstances.policy.refusal { return end(cause) + [enqueue(.unprotected)] }
        var outputs = endWhatIsBeyond(circumstances.supported) + begin(parties, circumstances)
        let supported = circumstances.supported
        let sealed =
            switch best {
            case .local: local?.seal(inner, minimum: minimum, group: group, supported, at: circumstances.now) ?? nil
            case .remote: remote?.seal(inner, minimum: minimum, group: group, supported, at: circumstances.now) ?? nil
            case nil: Envelope?.none
            }
        if let sealed {
            outputs.append(enqueue(.message(sealed)))
        } else {
            outputs += refresh(parties, circumstances) + [enqueue(.unprotected)]
        }
        return outputs
    }

    /// Encrypts an empty message, if the best session was idle for a day: the contact's chain and an old theft of keys
    /// do not stay together for ever.
    package mutating func refresh<Used: UsedNonces, Source: RandomSource>(
        _ parties: borrowing Parties, _ circumstances: Circumstances<Used, Source>
    ) -> [Output] {
        guard circumstances.policy == .enabled, let best,
            let last = best == .local ? local.lend({ $0.lastSent }) : remote.lend({ $0.lastSent }),
            circumstances.now - last >= Self.refreshInterval
        else { return [] }
        let empty = [MessageType.empty.rawValue]
        return send(empty.span, .empty, group: nil, parties, circumstances).map { output in
            guard case .message(let envelope) = output.content else { return output }
            return Output(number: output.number, content: .envelope(envelope))
        }
    }

    /// Ends the sessions of a newer program: the contact would refuse messages of an older version in them.
    private mutating func endWhatIsBeyond(_ supported: VersionRange) -> [Output] {
        var outputs: [Output] = []
        if let id = local.id, local.isBeyond(supported) {
            local = nil
            outputs.append(enqueue(id, .terminate(.reset)))
        }
        if let id = remote.id, remote.isBeyond(supported) {
            remote = nil
            outputs.append(enqueue(id, .terminate(.reset)))
        }
        return outputs
    }
}

extension Session {
    /// Encrypts a message and turns the chain.
    /// - Parameter minimum: the oldest version that protects messages of this type.
    /// - Returns: nil if the session's version is older. Then nothing has changed.
    mutating func seal(
        _ inner: Span<UInt8>, minimum: Version, group: GroupIdentity?, _ supported: VersionRange, at now: Timestamp
    ) -> Envelope? {
        let applied = applied(supported)
        guard minimum <= applied else { return nil }
        let mode: DHMode
        let sealed: (counter: UInt64, box: [UInt8])?
        if hasFourDH {
            mode = .fourDH
            sealed = outgoing4?.seal(inner)
            version = applied
        } else {
            mode = .twoDH
            sealed = chain2?.seal(inner)
        }
        guard let sealed else { preconditionFailure("each state of a session sends") }
        lastSent = now
        let message = Encapsulated(
            mode: mode, counter: sealed.counter, offered: supported.maximum, applied: applied,
            group: group, box: sealed.box)
        return Envelope(session: id, content: .encapsulated(message))
    }
}

extension Chain {
    /// Encrypts one message with the present key, which is then replaced.
    fileprivate mutating func seal(_ inner: Span<UInt8>) -> (counter: UInt64, box: [UInt8]) {
        let used = counter
        let box = InnerBox.seal(inner, key: messageKey())
        turn()
        return (used, box)
    }
}
