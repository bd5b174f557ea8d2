internal import SecureMemory
internal import Threema

/// All sessions with one contact, and the numbers of the outbox.
///
/// At most two sessions exist: a side begins one only if it has none, and an Init ends the sessions that it replaces.
package struct SessionSet: ~Copyable {
    /// The session that this side has begun: L20 or L44.
    package var local: Session?
    /// The session that the contact has begun: R20, R24 or R44.
    package var remote: Session?
    /// The numbers of the messages in the outbox, which are sent in this order.
    package private(set) var unsent: Range<UInt64>

    /// No session, and an empty outbox.
    package init() {
        local = nil
        remote = nil
        unsent = 0..<0
    }

    init(local: consuming Session?, remote: consuming Session?, unsent: Range<UInt64>) {
        self.local = local
        self.remote = remote
        self.unsent = unsent
    }

    /// The session that sends: one with 4DH before one without, and then the one with the lower ID. Both sides thus
    /// choose the same after both have begun one.
    package var best: SessionPlace? {
        guard let localID = local.id else { return remote.id == nil ? nil : .remote }
        guard let remoteID = remote.id else { return .local }
        if !local.hasFourDH { return .remote }
        return localID < remoteID ? .local : .remote
    }

    package func place(of id: SessionID) -> SessionPlace? {
        if local.id == id { return .local }
        return remote.id == id ? .remote : nil
    }

    mutating func remove(_ place: SessionPlace) {
        switch place {
        case .local: local = nil
        case .remote: remote = nil
        }
    }

    /// - Returns: whether there was such a session.
    mutating func remove(_ id: SessionID) -> Bool {
        guard let place = place(of: id) else { return false }
        remove(place)
        return true
    }

    // MARK: Outbox

    /// Gives a message its place in the outbox.
    mutating func enqueue(_ content: Output.Content) -> Output {
        defer { unsent = unsent.lowerBound..<unsent.upperBound + 1 }
        return Output(number: unsent.upperBound, content: content)
    }

    mutating func enqueue(_ session: SessionID, _ content: Envelope.Content) -> Output {
        enqueue(.envelope(Envelope(session: session, content: content)))
    }

    /// Removes the first message of the outbox, which the chat server has acknowledged.
    /// - Returns: whether it was the first one. Otherwise nothing has changed.
    package mutating func acknowledge(_ number: UInt64) -> Bool {
        guard !unsent.isEmpty, number == unsent.lowerBound else { return false }
        unsent = unsent.lowerBound + 1..<unsent.upperBound
        remote?.noteSent(number)
        return true
    }

    // MARK: Ends

    /// Ends all sessions, and tells the contact.
    package mutating func end(_ cause: TerminateCause) -> [Output] {
        var outputs: [Output] = []
        for place in [SessionPlace.local, .remote] {
            guard let id = place == .local ? local.id : remote.id else { continue }
            remove(place)
            outputs.append(enqueue(id, .terminate(cause)))
        }
        return outputs
    }
}

/// A message that has its place in the outbox.
package struct Output: Sendable {
    package enum Content: Sendable {
        case envelope(Envelope)
        /// An envelope around the message that was to be sent.
        case message(Envelope)
        /// The message as it is, because no session protects it.
        case unprotected
    }

    package let number: UInt64
    package let content: Content
}
