internal import SecureMemory
public import Threema
public import ThreemaMessages

// How a step is made durable. Each line is one transaction of the caller's store:
//
//   seal         record, sealed messages, their nonces       then they are sent
//   receive      record, message, nonce, answers, theirs     then the message is acknowledged, and the answers are sent
//   acknowledge  record, message out of the outbox           after the chat server has acknowledged it
//
// A process that dies before the first line has sent nothing, and the next one uses the same keys for the first time.
// One that dies after it sends the stored bytes again: same key, same nonce, same message. A received message that was
// not stored is not acknowledged, so it comes again. One that was stored has its nonce stored, so it is recognised.

/// The sessions of forward security with one contact, and the order of the messages that wait for the chat server.
///
/// Make it from the contact's record, take one step, and store the step's ``Commit`` in one transaction:
///
///     let conversation = try Conversation(decoding: record)
///     let sealed = try conversation.seal(message, parties, circumstances)
///     try store.transaction { try write(sealed.commit, in: $0) }
///     // Now the messages in `sealed.commit.queued` may be sent.
///
/// For the next step, make it again from the stored record. A step consumes this value, so it cannot be taken twice.
/// The essay of this library has the rest, and the library `ThreemaClient` does it.
public struct Conversation: ~Copyable {
    var sessions: SessionSet

    /// A contact without a record.
    public init() { sessions = SessionSet() }

    /// A contact whose record is damaged: without sessions, and with the messages that wait.
    /// - Parameter unsent: the numbers of the messages in the outbox; empty, from the next number on, if none waits.
    public init(withoutSessions unsent: Range<UInt64>) {
        sessions = SessionSet(local: nil, remote: nil, unsent: unsent)
    }

    /// Reads a contact's record.
    /// - Throws: `RecordError`.
    public init(decoding record: Span<UInt8>) throws(RecordError) { sessions = try SessionSet(decoding: record) }

    /// The numbers of the messages in the outbox. After a start, send them again in this order.
    public var unsent: Range<UInt64> { sessions.unsent }

    /// The name of a message in the outbox: contact's ID and number (little-endian), 16 bytes.
    public static func outboxName(_ contact: ThreemaID, _ number: UInt64) -> [UInt8] {
        contact.bytes + MessageID(number).bytes
    }

    // MARK: Steps

    /// Encrypts a message, and begins a session if there is none. If no session protects messages of its type, it is
    /// sealed without.
    /// - Parameter message: from the own identity to the contact.
    /// - Throws: `.used`; `.message(.body)`.
    public consuming func seal<Used: UsedNonces, Source: RandomSource>(
        _ message: Message, _ parties: borrowing Parties, _ circumstances: Circumstances<Used, Source>
    ) throws(SealingError<Used.Failure>) -> Sealed {
        precondition(message.sender == parties.own && message.receiver == parties.contact)
        let container: SecureBytes
        do throws(MessageBodyError) {
            container = try message.body.container(randomPadding: 1)
        } catch {
            throw .message(.body(error))
        }
        let outputs = container.withBytes { bytes in
            // The inner box has no padding: the outer one does.
            let end = bytes.count - Int(bytes[bytes.count - 1])
            return sessions.send(
                bytes.extracting(0..<end), message.body.type, group: message.group, parties, circumstances)
        }
        var protection: DHMode?
        if case .message(let envelope) = outputs.last?.content, case .encapsulated(let inner) = envelope.content {
            protection = inner.mode
        }
        return Sealed(
            protection: protection, commit: try commit(outputs, message, nil, parties, circumstances))
    }

    /// Takes the envelope of a received message, at the step `.unwrap` of ``ThreemaMessages/IncomingPipeline``.
    /// - Parameters:
    ///   - envelope: the message's body.
    ///   - payload: the message.
    /// - Throws: `.used`.
    public consuming func receive<Used: UsedNonces, Source: RandomSource>(
        _ envelope: Span<UInt8>, of payload: MessagePayload, _ parties: borrowing Parties,
        _ circumstances: Circumstances<Used, Source>
    ) throws(SealingError<Used.Failure>) -> Received {
        precondition(payload.sender == parties.contact && payload.receiver == parties.own)
        let outcome: Outcome
        do throws(EnvelopeError) {
            let envelope = try Envelope(decoding: envelope)
            outcome = sessions.receive(envelope, messageID: payload.id, parties, circumstances)
        } catch {
            outcome = Outcome(.ignored(.malformed(error)))
        }
        let commit = try commit(outcome.outputs, nil, payload.nonce, parties, circumstances)
        return Received(outcome, commit)
    }

    /// Begins a session, if there is none. Do so also after the first message of a contact that supports forward
    /// security (whitepaper, "Perfect Forward Secrecy").
    public consuming func begin<Used: UsedNonces, Source: RandomSource>(
        _ parties: borrowing Parties, _ circumstances: Circumstances<Used, Source>
    ) throws(SealingError<Used.Failure>) -> Commit {
        let outputs = sessions.begin(parties, circumstances)
        return try commit(outputs, nil, nil, parties, circumstances)
    }

    /// Sends an empty message, if the session was idle for 24 hours. Call it now and then.
    public consuming func refresh<Used: UsedNonces, Source: RandomSource>(
        _ parties: borrowing Parties, _ circumstances: Circumstances<Used, Source>
    ) throws(SealingError<Used.Failure>) -> Commit {
        let outputs = sessions.refresh(parties, circumstances)
        return try commit(outputs, nil, nil, parties, circumstances)
    }

    /// Ends all sessions and tells the contact. The messages in the outbox stay.
    ///
    /// Do so with the cause `reset` if the store was copied or restored: its chains may have gone on elsewhere, and no
    /// key may be used twice. What waits in the outbox is finished, so it may be sent from two places.
    /// - Parameter cause: `disabledByLocal` after the user has turned forward security off, `disabledByRemote` after
    ///   the contact's feature mask has lost it.
    public consuming func end<Used: UsedNonces, Source: RandomSource>(
        _ cause: TerminateCause, _ parties: borrowing Parties, _ circumstances: Circumstances<Used, Source>
    ) throws(SealingError<Used.Failure>) -> Commit {
        let outputs = sessions.end(cause)
        return try commit(outputs, nil, nil, parties, circumstances)
    }

    /// Removes the first message from the outbox, after the chat server has acknowledged it.
    /// - Parameter contact: whose record this is.
    /// - Throws: `.notFirst` for another number.
    public consuming func acknowledge(_ number: UInt64, to contact: ThreemaID) throws(OutboxError) -> Commit {
        guard sessions.acknowledge(number) else { throw .notFirst(number, unsent: unsent) }
        return Commit(
            contact: contact, record: sessions.encoded(), queued: [], removed: [Self.outboxName(contact, number)],
            nonceDigests: [])
    }
}

/// Why a message is not removed from the outbox.
public enum OutboxError: Error, Equatable, Sendable {
    /// Another message is the first of those that wait, or none waits.
    case notFirst(UInt64, unsent: Range<UInt64>)
}
