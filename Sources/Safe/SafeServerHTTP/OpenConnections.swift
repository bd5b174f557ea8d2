internal import Synchronization

/// The open connections of a listener: whether another one is accepted, and which ones end for it. Connections call it
/// on their threads.
final class OpenConnections: Sendable {
    private struct State {
        var table: ConnectionTable
        /// Those that were accepted, and are not closed: also those that the table does not have yet, and those that
        /// leave.
        var accepted = 0
        var ends: [Int: @Sendable () -> Void] = [:]
        var isWaiting = false
        var accept: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>
    private let limit: Int

    /// Most connections beyond the limit that are on the way in or out. The listener accepts up to four at once.
    static let maxPassing = 16

    init(limit: Int, clientLimit: Int) {
        self.limit = limit
        state = Mutex(State(table: ConnectionTable(limit: limit, clientLimit: clientLimit)))
    }

    // MARK: The listener

    /// Whether there is room for another connection, or one that makes room. After false, what `whenAccepting` was
    /// given is called when there is.
    func isAccepting() -> Bool {
        state.withLock { state in
            state.isWaiting = !isAccepting(state)
            return !state.isWaiting
        }
    }

    /// - Parameter accept: called on any thread.
    func whenAccepting(_ accept: @escaping @Sendable () -> Void) {
        change { $0.accept = accept }
    }

    func accepted() { state.withLock { $0.accepted += 1 } }

    func closed() { change { $0.accepted -= 1 } }

    // MARK: Connections

    /// Opens a connection, and ends others if there are too many.
    /// - Parameters:
    ///   - client: nil for a proxy.
    ///   - end: ends the connection, on any thread.
    /// - Returns: the connection's number, and how many others end; nil if the client has too many. If not nil, `close`
    ///   has to follow.
    func open(for client: String?, end: @escaping @Sendable () -> Void) -> (number: Int, ended: Int)? {
        var ends: [@Sendable () -> Void] = []
        let number: Int? = change { state in
            guard let opened = state.table.open(for: client) else { return nil }
            state.ends[opened.number] = end
            ends = opened.leaving.compactMap { state.ends.removeValue(forKey: $0) }
            return opened.number
        }
        for end in ends { end() }
        return number.map { ($0, ends.count) }
    }

    /// - Returns: false if the connection is being ended: the request that has come may not be looked at.
    func begin(_ number: Int) -> Bool { state.withLock { $0.table.begin(number) } }

    func rest(_ number: Int) { change { $0.table.rest(number) } }

    func close(_ number: Int) {
        change { state in
            state.table.close(number)
            state.ends[number] = nil
        }
    }

    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        var accept: (@Sendable () -> Void)?
        let result = state.withLock { state in
            let result = body(&state)
            if state.isWaiting, isAccepting(state) {
                state.isWaiting = false
                accept = state.accept
            }
            return result
        }
        accept?()
        return result
    }

    private func isAccepting(_ state: State) -> Bool {
        state.accepted < limit || state.table.restingCount > 0 && state.accepted < limit + Self.maxPassing
    }
}
