internal import Encodings
internal import Primitives
internal import SecureMemory
internal import Threema
package import ThreemaMessages

extension SessionSet {
    /// Changes the sessions by an envelope of the contact.
    /// - Parameter messageID: of the message around it.
    package mutating func receive<Used: UsedNonces, Source: RandomSource>(
        _ envelope: Envelope, messageID: MessageID, _ parties: borrowing Parties,
        _ circumstances: Circumstances<Used, Source>
    ) -> Outcome {
        switch envelope.content {
        case .initiate(let share): return initiated(envelope.session, share, parties, circumstances)
        case .accept(let share): return accepted(envelope.session, share, parties, circumstances)
        case .reject(let rejection):
            // Also without the session: the first rejection of several has removed it.
            _ = remove(envelope.session)
            return Outcome(.rejected(rejection))
        case .terminate(let cause):
            return Outcome(remove(envelope.session) ? .ended(cause) : .ignored(.unknownSession))
        case .encapsulated(let message):
            return opened(envelope.session, message, messageID, circumstances)
        }
    }

    // MARK: Agreement

    private mutating func initiated<Used: UsedNonces, Source: RandomSource>(
        _ id: SessionID, _ share: KeyShare, _ parties: borrowing Parties,
        _ circumstances: Circumstances<Used, Source>
    ) -> Outcome {
        if let cause = circumstances.policy.refusal {
            return Outcome(.refusedSession(cause), [enqueue(id, .terminate(cause))])
        }
        guard place(of: id) == nil else { return Outcome(.ignored(.knownSession)) }
        guard let version = circumstances.supported.newest(with: share.versions) else {
            return Outcome(.refusedSession(.reset), [enqueue(id, .terminate(.reset))])
        }
        let ephemeral = circumstances.random.secret(ClientKey.count)
        let publicKey = ephemeral.withBytes { X25519.publicKey(of: $0) }
        let replaced = local.hasFourDH || remote.hasFourDH
        do throws(SharedKeyError) {
            remote = try Session.accepting(
                id, share, ephemeral: ephemeral, version: version, acceptNumber: unsent.upperBound, parties,
                at: circumstances.now)
        } catch {
            return Outcome(.ignored(.weakKey))
        }
        // The contact begins a session only if it has none, so it has lost those that it had agreed upon. One that it
        // has not answered yet was begun at the same time.
        if local.hasFourDH { local = nil }
        let accept = enqueue(id, .accept(KeyShare(publicKey: publicKey, versions: circumstances.supported)))
        return Outcome(.began(id, replacing: replaced), [accept])
    }

    private mutating func accepted<Used: UsedNonces, Source: RandomSource>(
        _ id: SessionID, _ share: KeyShare, _ parties: borrowing Parties,
        _ circumstances: Circumstances<Used, Source>
    ) -> Outcome {
        guard let place = place(of: id) else {
            return Outcome(.refusedSession(.unknownSession), [enqueue(id, .terminate(.unknownSession))])
        }
        guard place == .local, local.state == .L20 else { return Outcome(.ignored(.unexpectedAccept)) }
        if let cause = circumstances.policy.refusal { return abandon(id, cause) }
        guard let version = circumstances.supported.newest(with: share.versions) else { return abandon(id, .reset) }
        do throws(SharedKeyError) {
            try local?.agree(share, version: version, parties)
        } catch {
            return abandon(id, .reset)
        }
        return Outcome(.agreed(id))
    }

    private mutating func abandon(_ id: SessionID, _ cause: TerminateCause) -> Outcome {
        _ = remove(id)
        return Outcome(.refusedSession(cause), [enqueue(id, .terminate(cause))])
    }

    // MARK: Messages

    private mutating func opened<Used: UsedNonces, Source: RandomSource>(
        _ id: SessionID, _ message: Encapsulated, _ messageID: MessageID,
        _ circumstances: Circumstances<Used, Source>
    ) -> Outcome {
        func rejection(_ cause: RejectCause) -> Envelope.Content {
            .reject(Rejection(messageID: messageID, cause: cause, group: message.group))
        }
        guard circumstances.policy == .enabled else {
            _ = remove(id)
            return Outcome(.refused(.disabled), [enqueue(id, rejection(.disabled))])
        }
        guard let place = place(of: id) else {
            return Outcome(.refused(.unknownSession), [enqueue(id, rejection(.unknownSession))])
        }
        do throws(RefusedMessage) {
            let opened =
                switch place {
                case .local: try local!.open(message, circumstances.supported)
                case .remote: try remote!.open(message, circumstances.supported)
                }
            // Both sides send with this session from now on, so the other one is not needed for what comes.
            if message.mode == .fourDH, best == place { remove(place == .local ? .remote : .local) }
            return Outcome(.message(message.mode, skipped: opened.skipped), inner: opened.inner)
        } catch {
            // A counter tells of lost or reordered messages. Everything else tells that the keys differ.
            if case .counter = error {} else { remove(place) }
            return Outcome(.refused(.stateMismatch), [enqueue(id, rejection(.stateMismatch))])
        }
    }
}
