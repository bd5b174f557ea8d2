#if Server
internal import Synchronization

/// The memory for uploads. If it is full, a slow upload ends (`UploadShares`). Requests call it on their threads.
final class UploadMemory: Sendable {
    private struct State {
        var shares: UploadShares
        var ends: [Int: @Sendable (Int) -> Void] = [:]
    }

    private let state: Mutex<State>

    /// Memory is taken in blocks of so many bytes, so that small chunks cost nothing.
    static let block = 4096

    /// - Parameters:
    ///   - limit: in bytes.
    ///   - largest: the longest body, in bytes. No client's share is smaller.
    init(limit: Int, largest: Int) {
        let share = max(limit / BodyMemory.shares, largest + Self.block)
        state = Mutex(State(shares: UploadShares(limit: limit, share: share)))
    }

    /// - Parameter end: ends the upload of this number if its memory is needed for another one; called on any thread.
    /// - Returns: the number of the upload. `close` has to follow.
    func open(for client: String, end: @escaping @Sendable (Int) -> Void) -> Int {
        state.withLock { state in
            let number = state.shares.open(for: client)
            state.ends[number] = end
            return number
        }
    }

    /// Takes memory for more of a body, and ends others for it.
    func take(_ bytes: Int, for number: Int, at now: Duration) -> UploadShares.Result {
        let (result, ends) = state.withLock { state in
            let result = state.shares.take(bytes, for: number, at: now)
            let ending = result.ending.compactMap { number in
                state.ends.removeValue(forKey: number).map { (number, $0) }
            }
            return (result, ending)
        }
        for (number, end) in ends { end(number) }
        return result
    }

    /// The body has come.
    /// - Returns: false if the upload is being ended.
    func store(_ number: Int) -> Bool { state.withLock { $0.shares.store(number) } }

    func close(_ number: Int) {
        state.withLock { state in
            state.shares.close(number)
            state.ends[number] = nil
        }
    }
}
#endif
