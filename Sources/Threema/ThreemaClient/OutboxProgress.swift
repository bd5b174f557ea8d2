internal import Threema
internal import ThreemaMessages

/// What of the outbox is on its way on one connection: it decides what is sent next, and what the server has.
///
/// Messages to one contact leave the outbox in the order of their numbers. One that the server does not acknowledge is
/// done when it is sent.
struct OutboxProgress {
    /// Most messages that are sent before the server has acknowledged one of them. A server that has to wait for a
    /// client to read does not read either.
    static let window = 256

    private struct Entry {
        let number: UInt64
        let id: MessageID
        var isDone = false
    }

    /// Contacts with messages that were not sent on this connection, perhaps.
    private var waiting: Set<ThreemaID>
    /// Sent on this connection, in the order of their numbers.
    private var sent: [ThreemaID: [Entry]] = [:]
    /// The first number that was not sent on this connection.
    private var next: [ThreemaID: UInt64] = [:]
    private var sentCount = 0

    /// Nothing is sent on a fresh connection.
    /// - Parameter contacts: all of them.
    init(_ contacts: some Sequence<ThreemaID>) { waiting = Set(contacts) }

    /// A contact whose messages are sent next; nil if none waits, or as many as permitted are on their way.
    var contact: ThreemaID? { sentCount < Self.window ? waiting.first : nil }

    /// The first number that was not sent to a contact on this connection.
    func firstUnsent(for contact: ThreemaID) -> UInt64 { next[contact] ?? 0 }

    /// Something was put into the outbox.
    mutating func queued(for contact: ThreemaID) { waiting.insert(contact) }

    /// Which messages to send to a contact now.
    /// - Parameter unsent: all numbers in its outbox.
    mutating func take(_ contact: ThreemaID, _ unsent: Range<UInt64>) -> Range<UInt64> {
        let first = max(next[contact] ?? 0, unsent.lowerBound)
        let end = min(unsent.upperBound, first + UInt64(Self.window - sentCount))
        if end >= unsent.upperBound { waiting.remove(contact) }
        return first..<max(first, end)
    }

    /// The next message to a contact cannot be sent, and none behind it.
    mutating func halt(_ contact: ThreemaID) { waiting.remove(contact) }

    /// A message is on its way.
    mutating func sent(_ message: OutboxMessage) {
        let contact = message.payload.receiver
        sent[contact, default: []].append(Entry(number: message.number, id: message.payload.id))
        next[contact] = message.number + 1
        sentCount += 1
    }

    /// A message was written to the connection. If nobody acknowledges it, it is done.
    /// - Returns: the messages that leave the outbox now.
    mutating func written(_ message: OutboxMessage) -> [UInt64] {
        guard message.payload.flags.contains(.noServerAcknowledgement) else { return [] }
        return done(message.payload.receiver) { $0.number == message.number }
    }

    /// The server has a message.
    /// - Returns: the messages that leave the outbox now: none while an earlier one is not acknowledged.
    mutating func acknowledged(_ contact: ThreemaID, _ id: MessageID) -> [UInt64] {
        done(contact) { $0.id == id && !$0.isDone }
    }

    private mutating func done(_ contact: ThreemaID, _ isMeant: (Entry) -> Bool) -> [UInt64] {
        guard var entries = sent[contact], let place = entries.firstIndex(where: isMeant) else { return [] }
        entries[place].isDone = true
        let leaving = entries.prefix(while: \.isDone).map(\.number)
        entries.removeFirst(leaving.count)
        sent[contact] = entries.isEmpty ? nil : entries
        sentCount -= leaving.count
        return leaving
    }
}
