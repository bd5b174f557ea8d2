public import SessionStore
internal import Threema
internal import ThreemaForwardSecurity
internal import ThreemaMessages

// Receiving many messages: a transaction waits for the disk, however much it changes.

extension Mailbox {
    /// Takes messages of the chat server in their order, and stores what they change in one transaction. Only then does it
    /// say how to acknowledge them.
    ///
    /// A message that is refused, or that was received before, is one of the result as any other. A sender who is no
    /// contact is searched for between two transactions, because a transaction must not wait for a server.
    ///
    /// If one cannot be stored, the ones before it are, and the later ones are not touched: see ``receive(_:and:)``.
    /// - Parameters:
    ///   - payloads: of `ChatPayload.incomingMessage`, for example 50.
    ///   - store: see ``receive(_:and:)``. If a later message cannot be stored, the transaction is undone and made again
    ///     without it, so `store` is called a second time for the messages before.
    public func receive(
        all payloads: [[UInt8]], and store: (Incoming, borrowing Transaction) throws -> Void = { _, _ in }
    ) -> IncomingBatch {
        guard !hasFailed else { return IncomingBatch(stored: [], failure: MailboxError.connectionOver) }
        var stored: [Incoming] = []
        do {
            while stored.count < payloads.count {
                stored += try storeTogether(payloads[stored.count...], and: store)
                // The sender of the next one has to be searched for.
                guard stored.count < payloads.count else { break }
                let next = payloads[stored.count]
                stored.append(try receive(next.span, and: store))
            }
        } catch let undone as UndoneBatch {
            // The transaction is made again without the message that has failed.
            let storable = payloads[stored.count..<stored.count + undone.count]
            if !storable.isEmpty, let again = try? storeTogether(storable, and: store) { stored += again }
            hasFailed = true
            return IncomingBatch(stored: stored, failure: undone.failure)
        } catch {
            return IncomingBatch(stored: stored, failure: error)
        }
        return IncomingBatch(stored: stored, failure: nil)
    }

    /// Stores messages in one transaction, up to the first one whose sender has to be searched for.
    /// - Throws: ``UndoneBatch``. Then nothing has changed.
    private func storeTogether(
        _ payloads: ArraySlice<[UInt8]>, and store: (Incoming, borrowing Transaction) throws -> Void
    ) throws -> [Incoming] {
        hasFailed = true
        var stored: [Incoming] = []
        // Stays false if a message fails, and not the commit.
        var isComplete = false
        do {
            try self.store.transaction { changes in
                for payload in payloads {
                    do {
                        stored.append(try take(payload.span, known) { try keep($0, $1, in: changes, store) })
                    } catch is UnknownSender {
                        break
                    }
                }
                isComplete = true
            }
        } catch {
            throw UndoneBatch(count: isComplete ? 0 : stored.count, failure: error)
        }
        hasFailed = false
        return stored
    }

    private func known(_ id: ThreemaID) throws -> Contact? {
        guard let contact = try contact(id) else { throw UnknownSender() }
        return contact
    }
}

/// What became of messages that were to be stored together.
public struct IncomingBatch {
    /// What became of the first messages, in their order. It is stored: acknowledge them.
    public let stored: [Incoming]
    /// Why the message after these was not stored; nil if all are. Nothing is taken then until ``Mailbox/restart()``:
    /// close the connection after the acknowledgements.
    public let failure: (any Error)?
}

/// A transaction was undone.
private struct UndoneBatch: Error {
    /// Messages that could be stored before the one that has failed; 0 if the commit itself has.
    let count: Int
    let failure: any Error
}

/// A sender is no contact yet.
private struct UnknownSender: Error {}
