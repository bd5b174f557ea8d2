/// The connections of a listener, and which of them ends if there are too many. It reads no clock and ends nothing:
/// `OpenConnections` does what it says.
///
///     resting   has no request: before the first head, within a head, or between two requests
///     working   a request is examined, received, stored or answered
///     leaving   was told to end; it begins no request any more
///
/// If there is one connection too many, the longest resting one of the client with the most connections leaves. So
/// a client that opens connections without end ends its own, and a connection with a body or an answer under way stays.
struct ConnectionTable {
    private enum State {
        /// `since` counts the steps of the table.
        case resting(since: Int)
        case working, leaving
    }

    private struct Entry {
        /// nil for a proxy's connection, which is counted as a client of its own.
        let client: String?
        var state: State
    }

    /// A connection that may open.
    struct Opened: Equatable {
        let number: Int
        /// The connections that leave for it: one, or more if there were too many already.
        let leaving: [Int]
    }

    private let limit: Int
    private let clientLimit: Int
    private var entries: [Int: Entry] = [:]
    /// How many connections each client has. Those that leave do not count.
    private var clients: [String: Int] = [:]
    private var leavingCount = 0
    private(set) var restingCount = 0
    private var steps = 0

    /// - Parameters:
    ///   - limit: most connections that are not leaving. There are more if the others are all working.
    ///   - clientLimit: most of one client. A proxy is not a client.
    init(limit: Int, clientLimit: Int) {
        self.limit = limit
        self.clientLimit = clientLimit
    }

    /// Connections that are not leaving.
    var count: Int { entries.count - leavingCount }

    /// Opens a connection, which rests.
    /// - Parameter client: nil for a proxy.
    /// - Returns: nil if the client has too many already: then nobody leaves for it.
    mutating func open(for client: String?) -> Opened? {
        if let client {
            let own = clients[client] ?? 0
            guard own < clientLimit else { return nil }
            clients[client] = own + 1
        }
        var leaving: [Int] = []
        while count >= limit, let number = longestResting {
            leave(number)
            leaving.append(number)
        }
        steps += 1
        entries[steps] = Entry(client: client, state: .resting(since: steps))
        restingCount += 1
        return Opened(number: steps, leaving: leaving)
    }

    /// A request has begun.
    /// - Returns: false if the connection was told to end: the request may not be looked at.
    mutating func begin(_ number: Int) -> Bool {
        switch entries[number]?.state {
        case .resting:
            entries[number]?.state = .working
            restingCount -= 1
            return true
        case .working: return true
        case .leaving, nil: return false
        }
    }

    /// All requests that have begun have come to their end.
    mutating func rest(_ number: Int) {
        guard case .working? = entries[number]?.state else { return }
        steps += 1
        entries[number]?.state = .resting(since: steps)
        restingCount += 1
    }

    /// The connection has ended.
    mutating func close(_ number: Int) {
        guard let entry = entries.removeValue(forKey: number) else { return }
        switch entry.state {
        case .leaving: leavingCount -= 1
        case .working: forget(entry.client)
        case .resting:
            forget(entry.client)
            restingCount -= 1
        }
    }

    private var longestResting: Int? {
        var found: (number: Int, connections: Int, since: Int)?
        for (number, entry) in entries {
            guard case .resting(let since) = entry.state else { continue }
            let connections = entry.client.flatMap { clients[$0] } ?? 1
            if let best = found, (best.connections, -best.since) > (connections, -since) { continue }
            found = (number, connections, since)
        }
        return found?.number
    }

    private mutating func leave(_ number: Int) {
        forget(entries[number]?.client)
        entries[number]?.state = .leaving
        leavingCount += 1
        restingCount -= 1
    }

    private mutating func forget(_ client: String?) {
        guard let client, let count = clients[client] else { return }
        clients[client] = count > 1 ? count - 1 : nil
    }
}
