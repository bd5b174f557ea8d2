public import Encodings
internal import SecureMemory
public import SessionStore
public import Threema
public import ThreemaDirectory
public import ThreemaForwardSecurity
public import ThreemaMedia
public import ThreemaMessages

// What a mailbox stores, each line one kind of value:
//
//   kind           name              value
//   contact        ID                see Contact
//   contactnumber  0, 1, 2... (8)    ID
//   revoked        ID                nothing: the last check has said so
//   push           0 (1)             see PushRegistration
//   upload         message ID        see Upload
//   statecheck     0 (1)             when the states of all contacts were asked for, milliseconds since the epoch (8)
//   ibex           ID                record of a Conversation
//   outbox         ID ‖ number (8)   MessagePayload
//   message        MessageOrigin     nothing: it was delivered
//   sent           ID ‖ MessageID    what a contact may not have read: see MailboxUnread
//   group          creator ‖ ID      record of a Group
//   groupsync      creator ‖ ID      when the creator was asked for the group, milliseconds since the epoch (8)
//   renewal        creator ‖ ID ‖ MessageID    receivers of a PictureRenewal (8 each)
//   picture        see below         a picture, JPEG
//   wanted         see below         PictureMessage: it has to be downloaded (52)
//   told           ID                what a contact knows of the user's picture: blob ID (16), or when it was told that
//                                    there is none, milliseconds since the epoch (8)
//   shared         the own ID        UploadedPicture: the user's (60)
//   audience       the own ID        who may see it: 0 nobody, 1 everyone, or 2 and the IDs of contacts (8 each)
//   nonce          digest            nothing: see ReplayStore
//
// A picture is named after its contact (8), its group (16), or the own ID (8).
//
// Each step is one transaction. Before it, nothing of the step is sent; after it, the same bytes are sent until the
// server acknowledges them. A message that was not stored is not acknowledged and comes again; one that was is
// recognised by its nonce.

/// The messages of one identity in a session store: everything that has to be stored before something is sent or
/// acknowledged.
///
/// `IncomingPipeline`, `Conversation` and the order of the outbox decide, each as a value; the mailbox looks up what
/// they ask for and stores what they return. It has no connection: a ``MessageClient`` joins it with one.
///
/// Other values of the program may be in the same store, under other kinds. One thread at a time uses it.
public final class Mailbox {
    /// Looks for an ID that is not a contact yet, for example in the directory.
    /// - Returns: nil if there is no such ID, or if it was revoked. `DirectoryError.unknownIdentity` counts as nil.
    /// - Throws: only if that cannot be known now: the message comes again, and is searched for again.
    public typealias Search = (ThreemaID) throws -> Contact?
    /// Asks for the states of contacts, for example the directory by `DirectoryRequest.check`.
    ///
    /// It gets at most `DirectoryClient.maxIdentities` of them.
    /// - Throws: if that cannot be known now.
    public typealias Check = ([ThreemaID]) throws -> CheckedIdentities

    /// The store that has contacts, messages, nonces and sessions. Close it when the mailbox is used no more.
    public let store: OpenSessionStore
    /// Whether the store was a copy, so that all sessions were ended when the mailbox was opened.
    public let wasCopied: Bool
    /// What contacts are told of the user's nickname with each message.
    public var nickname = MessageMetadata.Nickname.unchanged

    /// The contacts to whom a message in the outbox does not open or is none, with its number, as ``unsent()`` has found
    /// them. Those behind it wait until it is discarded: ``discardUnreadable(to:)``.
    public private(set) var unreadable: [ThreemaID: UInt64] = [:]

    /// The contacts whose value is damaged, as far as they were met. They are left out of ``contacts()``, of groups and of
    /// checks; what waits for them is sent, and their own messages end the connection with `.malformedValue` until
    /// ``set(_:)`` replaces the value.
    public internal(set) var unreadableContacts: Set<ThreemaID> = []

    /// The contacts whose record of sessions is damaged, as far as they were met, by ``unsent()`` for example. Nothing is
    /// sent to them until ``resetSessions(with:)`` replaces it.
    public internal(set) var unreadableSessions: Set<ThreemaID> = []

    /// Uploads and downloads pictures. Without it, the user's picture is not sent, and none is fetched.
    public var media: MediaClient?

    let own: Identity
    let replay: ReplayStore
    let now: () -> Timestamp
    let search: Search
    let check: Check?
    /// When the last check has failed; nil if none has.
    var failedCheck: Timestamp?
    /// When the last upload of the user's picture has failed; nil if none has.
    var failedUpload: Timestamp?
    /// The contact of the last step, because its keys take a multiplication on the curve.
    private var latest: Partner?
    /// Of the present connection; nil until it reads the outbox.
    var progress: OutboxProgress?
    /// Whether a message of this connection was not stored. A later one of its sender would use up its key.
    var hasFailed = false
    /// What was found for the message of a group that was not decided yet: at most its members and its creator.
    var met: [ThreemaID: Contact?] = [:]
    /// Of this process.
    var syncRequests = SyncRequests()

    /// Opens the mailbox of an identity. If the store was copied, the sessions with all contacts end, because their keys may
    /// be in use elsewhere. Push token, its keys and uploads are removed.
    /// - Parameters:
    ///   - own: the identity of the store.
    ///   - store: of this identity. The caller closes it.
    ///   - now: the present time.
    ///   - search: asked for senders and receivers that are no contacts, who then become some. The default refuses them.
    ///   - check: asked once a day, before a message is sent and by ``refresh()``, which contacts were revoked and
    ///     which support forward security. Without it, nobody is asked, and nobody counts as revoked.
    /// - Throws: `SessionStoreError`, `RecordError`, ``MailboxError``; in a copied store also `.malformedValue` for a damaged
    ///   contact, whose sessions could not be ended.
    public init(
        _ own: consuming Identity, in store: OpenSessionStore, now: @escaping () -> Timestamp,
        search: @escaping Search = { _ in nil }, check: Check? = nil
    ) throws {
        replay = ReplayStore(ownID: own.id.text)
        self.own = own
        self.store = store
        self.now = now
        self.search = search
        self.check = check
        wasCopied = store.origin == .copied
        if wasCopied {
            try store.adopt { changes in
                for id in try contactIDs() {
                    if let contact = try contact(id) { try end(.reset, contact, in: changes) }
                }
                // Token, keys and uploads are those of the other device.
                try changes.remove("push", Self.pushName)
                try changes.removeAll("upload")
            }
        }
    }

    /// The identity whose messages these are.
    public var id: ThreemaID { own.id }

    // MARK: Sending

    /// Seals a message and stores it in the outbox, in a transaction of its own.
    /// - Parameter contact: searched for before the transaction if it is no contact yet.
    /// - Returns: what protects it; nil without forward security.
    /// - Throws: `.unknownContact`; `.revokedContact`; what the search throws; `SealingError` for a body that is too long;
    ///   `.malformedValue`, `RecordError`, `SessionStoreError`. Then nothing is sent.
    @discardableResult
    public func send(_ body: MessageBody, to contact: ThreemaID, id: MessageID = .random()) throws -> DHMode? {
        // First, because it may enable forward security with the contact.
        try refreshStates()
        guard let known = try find(contact) else { throw MailboxError.unknownContact(contact) }
        guard try !isRevoked(contact) else { throw MailboxError.revokedContact(contact) }
        try uploadPicture(with: [body.innerType], to: [contact])
        return try store.transaction { try send(body, to: known, id: id, at: now(), in: $0) }
    }

    /// Seals a message and stores it in the outbox, in a transaction of ``store`` that stores something else, too.
    ///
    /// It is sent after the transaction was made, and never if it was not.
    /// - Parameter contact: a contact. Nobody is searched for, because a transaction must not wait for a server.
    /// - Throws: as ``send(_:to:id:)`` does.
    @discardableResult
    public func send(
        _ body: MessageBody, to contact: ThreemaID, id: MessageID = .random(), in changes: borrowing Transaction
    ) throws -> DHMode? {
        guard let known = try self.contact(contact) else { throw MailboxError.unknownContact(contact) }
        guard try !isRevoked(contact) else { throw MailboxError.revokedContact(contact) }
        return try send(body, to: known, id: id, at: now(), in: changes)
    }

    func send(
        _ body: MessageBody, to known: Contact, id: MessageID, at time: Timestamp, in changes: borrowing Transaction
    ) throws -> DHMode? {
        try add(known, in: changes)
        let (contact, partner) = (known.id, try partner(known))
        let message = Message(
            from: own.id, to: contact, id: id, createdAt: time, nickname: nickname, body: body)
        let sealed = try conversation(with: contact).seal(message, partner.parties, circumstances(partner.contact))
        try write(sealed.commit, sealed.commit.nonceDigests, in: changes)
        if sealed.protection != nil {
            try remember(message, in: changes)
        } else {
            try forget([id], to: contact, in: changes)
        }
        try sharePicture(with: body.innerType, to: known, at: time, in: changes)
        return sealed.protection
    }

    // MARK: The outbox

    /// A connection is fresh: everything in the outbox is to be sent on it, and the server begins with the first message
    /// that was not acknowledged.
    public func restart() {
        progress = nil
        hasFailed = false
    }

    /// The messages to be sent next on this connection, each once, in this order. Call ``written(_:)`` when they are.
    ///
    /// A message that does not open stops those behind it to the same contact, and nothing else: see ``unreadable``. A
    /// damaged record of sessions stops all messages to its contact, and nothing else: see ``unreadableSessions``.
    /// - Returns: none if nothing waits, or if the server has to acknowledge earlier ones first.
    public func unsent() throws -> [OutboxMessage] {
        var progress = try progress ?? OutboxProgress(contactIDs())
        var messages: [OutboxMessage] = []
        while let contact = progress.contact {
            unreadable[contact] = nil
            guard let waiting = try numbersWaiting(for: contact) else {
                unreadableSessions.insert(contact)
                progress.halt(contact)
                continue
            }
            unreadableSessions.remove(contact)
            let numbers = progress.take(contact, waiting)
            for number in numbers {
                guard let payload = try payload(number, to: contact) else {
                    unreadable[contact] = number
                    progress.halt(contact)
                    break
                }
                let message = OutboxMessage(number: number, payload: payload)
                progress.sent(message)
                messages.append(message)
            }
        }
        self.progress = progress
        return messages
    }

    /// - Returns: nil if the record of the sessions, which has the numbers, is damaged.
    private func numbersWaiting(for contact: ThreemaID) throws -> Range<UInt64>? {
        do {
            return try conversation(with: contact).unsent
        } catch is RecordError {
            return nil
        } catch SessionStoreError.damaged {
            return nil
        }
    }

    /// Whether the record of the sessions with a contact can be read. Otherwise it is one of ``unreadableSessions``.
    func hasReadableSessions(with contact: ThreemaID) throws -> Bool {
        guard try numbersWaiting(for: contact) == nil else { return true }
        unreadableSessions.insert(contact)
        return false
    }

    /// A value of the store.
    /// - Throws: `damaged` for one that does not open; `SessionStoreError`.
    func read(_ kind: ValueKind, _ name: [UInt8], damaged: @autoclosure () -> MailboxError) throws -> SecureBytes? {
        do throws(SessionStoreError) {
            return try store.read(kind, name)
        } catch {
            guard case .damaged = error else { throw error }
            throw damaged()
        }
    }

    /// - Returns: nil for a message that does not open, is none, or is missing.
    private func payload(_ number: UInt64, to contact: ThreemaID) throws(SessionStoreError) -> MessagePayload? {
        let value: SecureBytes?
        do throws(SessionStoreError) {
            value = try store.read("outbox", Conversation.outboxName(contact, number))
        } catch {
            guard case .damaged = error else { throw error }
            return nil
        }
        guard let value, let payload = try? value.withBytes({ try MessagePayload(decoding: $0) }),
            payload.receiver == contact
        else { return nil }
        return payload
    }

    /// Removes the message to a contact that does not open, so that those behind it are sent. The contact never gets it.
    /// If it was to begin a session, the contact rejects those behind it that use the session: send them again.
    ///
    /// No key is used twice: the session has gone on when the message was sealed.
    /// - Throws: `OutboxError.notFirst` if the server has not acknowledged all before it; `SessionStoreError`,
    ///   `RecordError`. Then nothing has changed.
    public func discardUnreadable(to contact: ThreemaID) throws {
        guard let number = unreadable[contact] else { return }
        try remove([number], contact)
        unreadable[contact] = nil
        progress?.queued(for: contact)
    }

    /// The connection has taken these messages. Those that no server acknowledges leave the outbox.
    public func written(_ messages: [OutboxMessage]) throws {
        for message in messages { try remove(progress?.written(message), message.payload.receiver) }
    }

    /// The server has a message: it leaves the outbox. One that is not from the outbox changes nothing.
    public func acknowledged(_ receiver: ThreemaID, _ id: MessageID) throws {
        try remove(progress?.acknowledged(receiver, id), receiver)
    }

    private func remove(_ numbers: [UInt64]?, _ contact: ThreemaID) throws {
        guard let numbers, !numbers.isEmpty else { return }
        try store.transaction { changes in
            for number in numbers {
                let commit = try conversation(with: contact).acknowledge(number, to: contact)
                try write(commit, [], in: changes)
            }
        }
    }

    // MARK: Parts

    /// Everything of a step, in the caller's transaction.
    func write(
        _ commit: borrowing Commit, _ digests: [NonceDigest], in changes: borrowing Transaction
    ) throws {
        for digest in digests { try replay.remember(digest: digest.bytes, in: changes) }
        for message in commit.queued { try changes.set("outbox", message.name, message.payload.encoded.span) }
        for name in commit.removed { try changes.remove("outbox", name) }
        try commit.record.withBytes { try changes.set("ibex", commit.contact.bytes, $0) }
        if !commit.queued.isEmpty { progress?.queued(for: commit.contact) }
    }

    func conversation(with contact: ThreemaID) throws -> Conversation {
        guard let record = try store.read("ibex", contact.bytes) else { return Conversation() }
        return try record.withBytes { try Conversation(decoding: $0) }
    }

    var nonces: StoredNonces { StoredNonces(replay: replay, store: store) }

    func circumstances(_ contact: Contact) -> Circumstances<StoredNonces, SystemRandom> {
        Circumstances(now: now(), used: nonces, policy: contact.forwardSecurity)
    }

    func partner(_ contact: Contact) throws -> Partner {
        if let latest, latest.contact == contact { return latest }
        let parties = try Parties(own: own, contact: contact.id, publicKey: contact.publicKey)
        let partner = Partner(contact, parties)
        latest = partner
        return partner
    }
}
