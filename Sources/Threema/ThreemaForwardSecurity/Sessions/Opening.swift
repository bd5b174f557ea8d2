internal import Primitives
internal import SecureMemory

/// Why a session does not open a message.
enum RefusedMessage: Error, Equatable {
    /// The session has no chain of this mode.
    case mode
    /// The versions are out of range, or older than before.
    case version
    case counter(ChainError)
    case notAuthentic
}

/// Type and body of a message.
struct OpenedMessage: ~Copyable {
    let inner: SecureBytes
    /// How many messages before it are missing.
    let skipped: UInt64
}

extension Session {
    /// Decrypts a message and turns the chain.
    /// - Throws: `RefusedMessage`, in the order of the checks. Unless it is `.notAuthentic`, nothing has changed.
    mutating func open(
        _ message: Encapsulated, _ supported: VersionRange
    ) throws(RefusedMessage) -> OpenedMessage {
        try check(message, supported)
        let opened: OpenedMessage
        switch message.mode {
        case .twoDH:
            // The initiator's own 2DH chain is for sending.
            guard !isInitiator, chain2 != nil else { throw .mode }
            opened = try chain2!.open(message)
        case .fourDH:
            guard incoming4 != nil else { throw .mode }
            opened = try incoming4!.open(message)
            // The initiator has the Accept, so it sends nothing with its 2DH chain any more.
            chain2 = nil
            acceptNumber = nil
            peerOffer = message.offered
            incomingMinimum = message.applied
        }
        return opened
    }

    /// Checks mode and versions: what was offered and applied once must not fall.
    private func check(_ message: Encapsulated, _ supported: VersionRange) throws(RefusedMessage) {
        guard message.applied <= message.offered, message.applied >= supported.minimum,
            message.applied <= supported.maximum
        else { throw .version }
        guard message.mode == .fourDH else { return }
        guard incoming4 != nil else { throw .mode }
        guard message.offered >= peerOffer, message.applied >= incomingMinimum else { throw .version }
    }
}

extension Chain {
    /// Decrypts the message with this counter, and replaces the key.
    fileprivate mutating func open(_ message: Encapsulated) throws(RefusedMessage) -> OpenedMessage {
        let expected = counter
        do throws(ChainError) {
            try advance(to: message.counter)
        } catch {
            throw .counter(error)
        }
        let inner: SecureBytes
        do throws(AuthenticationError) {
            inner = try InnerBox.open(message.box.span, key: messageKey())
        } catch {
            throw .notAuthentic
        }
        turn()
        return OpenedMessage(inner: inner, skipped: message.counter - expected)
    }
}
