internal import ThreemaMessages

/// The messages that a server keeps for one identity, in memory: what the flags of a message mean for a server.
///
/// A message is kept until the receiver acknowledges it. With `.shortLived` it is dropped after 60 seconds, with
/// `.noServerQueue` it is for a connected receiver only, and with `.noServerAcknowledgement` it is delivered once.
struct MessageQueue: Sendable {
    /// How long a short-lived message is kept.
    static let shortLife = Duration.seconds(60)

    private struct Entry: Sendable {
        let message: MessagePayload
        let arrival: Duration
        var name: ChatAcknowledgement { ChatAcknowledgement(message.sender, message.id) }
        /// Whether it is kept after its delivery, until the receiver has it.
        var isKept: Bool { message.flags.isDisjoint(with: [.noServerQueue, .noServerAcknowledgement]) }
    }

    /// In the order of arrival. What was removed leaves a gap, so that no other entry moves.
    private var entries: [Entry?] = []
    private var places: [ChatAcknowledgement: Int] = [:]
    /// Of the first entry that the present connection has not got.
    private var next = 0

    /// Begins without messages.
    init() {}

    /// How many messages are kept, with those that are too old.
    var count: Int { places.count }

    /// Whether the server acknowledges this message to its sender, and expects an acknowledgement of the receiver.
    static func isAcknowledged(_ message: MessagePayload) -> Bool {
        !message.flags.contains(.noServerAcknowledgement)
    }

    /// Takes a message. `deliver` returns it when its turn comes.
    /// - Parameters:
    ///   - now: on a clock that never goes back.
    ///   - isConnected: whether the receiver is connected.
    /// - Returns: false for a message that is not taken: it is in the queue already, by sender and ID, or it has no
    ///   queue and the receiver is not connected.
    @discardableResult
    mutating func add(_ message: MessagePayload, at now: Duration, isConnected: Bool) -> Bool {
        guard isConnected || !message.flags.contains(.noServerQueue) else { return false }
        let entry = Entry(message: message, arrival: now)
        guard places[entry.name] == nil else { return false }
        places[entry.name] = entries.count
        entries.append(entry)
        return true
    }

    /// The receiver has connected: all messages are to be delivered, also those that another connection has got.
    mutating func restart() {
        for place in entries.indices where entries[place]?.message.flags.contains(.noServerQueue) == true {
            remove(at: place)
        }
        next = 0
        compact()
    }

    /// The next message for the connected receiver, the oldest first.
    /// - Parameter now: on the clock of `add`.
    /// - Returns: nil after the last one. Those that are too old are dropped.
    mutating func deliver(at now: Duration) -> MessagePayload? {
        while next < entries.count {
            defer { compactIfSparse() }
            let place = next
            next += 1
            guard let entry = entries[place] else { continue }
            let isTooOld = entry.message.flags.contains(.shortLived) && now - entry.arrival >= Self.shortLife
            if isTooOld || !entry.isKept { remove(at: place) }
            if !isTooOld { return entry.message }
        }
        return nil
    }

    /// Drops a message that the receiver has.
    /// - Returns: false if it is not kept.
    @discardableResult
    mutating func acknowledge(_ named: ChatAcknowledgement) -> Bool {
        guard let place = places[named] else { return false }
        remove(at: place)
        compactIfSparse()
        return true
    }

    private mutating func remove(at place: Int) {
        if let entry = entries[place] { places[entry.name] = nil }
        entries[place] = nil
    }

    /// Closes the gaps when they are most of the entries, so at most one message is moved for each that was removed.
    private mutating func compactIfSparse() {
        if entries.count > 64, places.count < entries.count / 2 { compact() }
    }

    private mutating func compact() {
        next -= entries[..<next].count { $0 == nil }
        entries.removeAll { $0 == nil }
        for (place, entry) in entries.enumerated() { places[entry!.name] = place }
    }
}
