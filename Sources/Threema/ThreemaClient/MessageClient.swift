public import SessionStore
public import Threema
public import ThreemaChat
public import ThreemaForwardSecurity
public import ThreemaMessages

/// A mailbox on a connection to a chat server: sends what the outbox holds, and acknowledges what is stored.
///
/// After an error of the connection or of ``receive(within:and:)`` the session is closed, and every call throws
/// `.connectionOver`. ``connectionEnd`` says how it ended, and ``stayConnected(_:logIn:sleep:jitter:use:)`` makes a
/// client again if it may, with the same mailbox and a fresh session. It sends the outbox again, and gets what was not
/// acknowledged. One thread at a time uses a client.
public final class MessageClient {
    /// What a call of `receive` has brought.
    public enum Event: Equatable, Sendable {
        /// A message has come. It is stored. It is acknowledged, too, unless the next call throws.
        case received(Incoming)
        /// The server has a message of this client for a contact. Its envelopes of forward security are reported, too.
        case acknowledged(ThreemaID, MessageID)
        /// Anything else that the server says.
        case said(ChatPayload)
    }

    /// What the client sends from and stores in.
    public let mailbox: Mailbox
    private let session: ChatSession
    /// What the next ``receive(within:and:)`` throws; nil while the connection is in use.
    private var failure: (any Error)?

    /// How the connection has ended; nil while it is in use. `.stopped` also after a message that could not be stored.
    public var connectionEnd: ConnectionEnd? { session.connectionEnd }

    /// Sends the registration of push notifications if the server is not known to have it, and what waits in the outbox.
    /// - Parameter session: of the mailbox's identity, logged in and not used before.
    /// - Throws: `ChatSessionError`, and what reading the mailbox throws.
    public init(_ mailbox: Mailbox, on session: ChatSession) throws {
        self.mailbox = mailbox
        self.session = session
        mailbox.restart()
        try registerPush()
        try sendOutbox()
    }

    /// Stores a message in the outbox, and sends it.
    /// - Returns: what protects it; nil without forward security.
    /// - Throws: what ``Mailbox/send(_:to:id:)`` throws, or `.connectionOver`, and then nothing has changed;
    ///   `ChatSessionError`, and then the message stays in the outbox, and the next client sends it.
    @discardableResult
    public func send(_ body: MessageBody, to contact: ThreemaID, id: MessageID = .random()) throws -> DHMode? {
        try sendingOutbox { try mailbox.send(body, to: contact, id: id) }
    }

    /// Stores what the members of a group are told in the outbox, and sends it.
    /// - Returns: the members that no search finds, and those that were revoked. They are told nothing.
    /// - Throws: what ``Mailbox/send(_:)`` throws, or `.connectionOver`, and then nothing has changed; `ChatSessionError`,
    ///   and then the messages stay in the outbox.
    @discardableResult
    public func send(_ sendings: [GroupSending]) throws -> [ThreemaID] {
        try sendingOutbox { try mailbox.send(sendings) }
    }

    /// Stores a change of a group, and tells its members.
    /// - Returns: the members that no search finds, and those that were revoked. They are told nothing.
    /// - Throws: what ``Mailbox/make(_:)`` throws, or `.connectionOver`, and then nothing has changed; `ChatSessionError`,
    ///   and then the messages stay in the outbox.
    @discardableResult
    public func make(_ change: GroupChange) throws -> [ThreemaID] {
        try sendingOutbox { try mailbox.make(change) }
    }

    /// Sends a message again that a contact could not read.
    /// - Returns: whether it was still there.
    /// - Throws: what ``Mailbox/sendAgain(_:to:)`` throws, or `.connectionOver`, and then nothing has changed;
    ///   `ChatSessionError`, and then the message stays in the outbox.
    @discardableResult
    public func sendAgain(_ id: MessageID, to contact: ThreemaID) throws -> Bool {
        try sendingOutbox { try mailbox.sendAgain(id, to: contact) }
    }

    /// Ends the sessions with a contact, begins a new one, and tells the contact.
    /// - Throws: what ``Mailbox/resetSessions(with:)`` throws, or `.connectionOver`, and then nothing has changed;
    ///   `ChatSessionError`, and then the messages stay in the outbox.
    public func resetSessions(with contact: ThreemaID) throws {
        try sendingOutbox { try mailbox.resetSessions(with: contact) }
    }

    /// Tells the server where notifications go, and the key for them, if it is not known to have them: see
    /// ``Mailbox/setPushToken(_:)`` and ``Mailbox/renewPushKey()``.
    /// - Throws: `ChatSessionError`, `.connectionOver`, and then the next client does it; what reading the registration
    ///   throws.
    public func registerPush() throws {
        try requireConnection()
        let registration = try mailbox.unsentPushRegistration()
        do {
            try session.send(registration)
        } catch {
            end(with: MailboxError.connectionOver)
            throw error
        }
    }

    /// Removes the message to a contact that does not open, and sends those behind it.
    /// - Throws: what ``Mailbox/discardUnreadable(to:)`` throws, or `.connectionOver`, and then nothing has changed;
    ///   `ChatSessionError`, and then the messages stay in the outbox.
    public func discardUnreadable(to contact: ThreemaID) throws {
        try sendingOutbox { try mailbox.discardUnreadable(to: contact) }
    }

    /// Waits for the server.
    /// - Parameter store: see ``Mailbox/receive(_:and:)``.
    /// - Returns: nil if nothing has come in time. What is stored is returned even if the connection fails then; the next
    ///   call throws that.
    /// - Throws: `ChatSessionError`; what ``Mailbox/receive(_:and:)`` throws, and then the message is not acknowledged;
    ///   `.connectionOver` after any of these.
    public func receive(
        within timeout: Duration, and store: (Incoming, borrowing Transaction) throws -> Void = { _, _ in }
    ) throws -> Event? {
        try receive(upTo: 1, within: timeout, and: store).first
    }

    /// Waits for the server, and takes what has already arrived behind the first payload, too: all messages of it are
    /// stored in one transaction, which waits for the disk once, and acknowledged in one write.
    /// - Parameters:
    ///   - limit: most payloads to take, 1 or more; 50 make the wait for the disk short for each.
    ///   - store: see ``Mailbox/receive(all:and:)``. It can be called twice for a message.
    /// - Returns: in the order of arrival; nothing if nothing has come in time. What is stored is returned even if a
    ///   later message cannot be stored, or if the connection fails then; the next call throws that.
    /// - Throws: as ``receive(within:and:)``.
    public func receive(
        upTo limit: Int, within timeout: Duration, and store: (Incoming, borrowing Transaction) throws -> Void
    ) throws -> [Event] {
        if let failure {
            self.failure = MailboxError.connectionOver
            throw failure
        }
        let events: [Event]
        do {
            events = try take(session.receive(upTo: limit, within: timeout), and: store)
        } catch {
            end(with: MailboxError.connectionOver)
            throw error
        }
        // The next connection brings a message that is not acknowledged again, but the mailbox discards it.
        do { try answer(events) } catch { failure = failure ?? error }
        if let failure { end(with: failure) }
        return events
    }

    /// Ends the connection, so that the server sends all that is not acknowledged on the next one, in its order.
    private func end(with failure: any Error) {
        session.close()
        self.failure = failure
    }

    /// Stores what payloads change. What fails behind something that is stored is for the next call.
    private func take(
        _ payloads: [ChatPayload], and store: (Incoming, borrowing Transaction) throws -> Void
    ) throws -> [Event] {
        let messages = payloads.compactMap { payload -> [UInt8]? in
            guard case .incomingMessage(let bytes) = payload else { return nil }
            return bytes
        }
        let batch = mailbox.receive(all: messages, and: store)
        var stored = batch.stored.makeIterator()
        var events: [Event] = []
        var failure = batch.failure
        for payload in payloads {
            switch payload {
            case .incomingMessage: if let incoming = stored.next() { events.append(.received(incoming)) }
            case .serverAcknowledgement(let named):
                do {
                    try mailbox.acknowledged(named.identity, named.id)
                    events.append(.acknowledged(named.identity, named.id))
                } catch {
                    failure = failure ?? error
                }
            case .echoResponse(let mark):
                do { try mailbox.echoed(mark) } catch { failure = failure ?? error }
                events.append(.said(payload))
            case .echoRequest, .outgoingMessage, .clientAcknowledgement, .unblockIncoming, .pushToken,
                .voipPushToken, .deletePushTokens, .idleTimeout, .queueSendComplete, .deviceCookieChanged,
                .clearDeviceCookieChange, .closeError, .alert, .unknown:
                events.append(.said(payload))
            }
        }
        if events.isEmpty, let failure { throw failure }
        self.failure = failure
        return events
    }

    /// After the events were stored, and not before: what is acknowledged does not come again.
    private func answer(_ events: [Event]) throws {
        let acknowledgements = events.compactMap { event -> ChatPayload? in
            guard case .received(let incoming) = event else { return nil }
            return incoming.acknowledgement
        }
        if !acknowledgements.isEmpty { try session.send(acknowledgements) }
        // The connection ends after a message that was not stored.
        guard failure == nil else { return }
        // Without an event, the mailbox may have something to send that the program has put there.
        let isOnlySaid = !events.isEmpty && events.allSatisfy { if case .said = $0 { true } else { false } }
        if !isOnlySaid { try sendOutbox() }
    }

    /// Does what may put messages into the outbox, and sends them.
    func sendingOutbox<Result>(_ step: () throws -> Result) throws -> Result {
        try requireConnection()
        let result = try step()
        try sendOutboxOrEnd()
        return result
    }

    /// - Throws: `.connectionOver`.
    private func requireConnection() throws {
        guard failure == nil else { throw MailboxError.connectionOver }
    }

    /// After a message was stored. Errors of the store wait for `receive`, because here they would mean that it was not.
    private func sendOutboxOrEnd() throws {
        do {
            try sendOutbox()
        } catch let error as ChatSessionError {
            end(with: MailboxError.connectionOver)
            throw error
        } catch {
            end(with: error)
        }
    }

    /// Sends what is stored, and nothing else.
    private func sendOutbox() throws {
        while true {
            let messages = try mailbox.unsent()
            guard !messages.isEmpty else { return }
            try session.send(messages.map { .outgoingMessage($0.payload.encoded) })
            try mailbox.written(messages)
        }
    }
}
