import SafeWire
import Synchronization

/// A Safe server in memory that can fail, lie, lose its answer, and see the process die that asks it.
final class MemoryServer: Sendable {
    enum Request: Equatable, Sendable {
        case config, fetch, store, remove, prepare
    }

    /// What goes wrong with a request.
    enum Fault: Sendable {
        /// It is not carried out, and the caller hears why.
        case refused(SafeExchangeError)
        /// It is carried out, and the answer is lost on its way.
        case answerLost
        /// It is answered as if it had been carried out.
        case ignored
        /// These bytes are answered instead of what lies there.
        case lie([UInt8]?)
        /// The caller dies: before the request arrives, or before it hears the answer.
        case deathBefore, deathAfter
    }

    private struct State {
        var config: [UInt8]? = ServerLimits.standard.config
        var backups: [String: [UInt8]] = [:]
        var requests: [Request] = []
        var fault: @Sendable (_ number: Int, Request) -> Fault? = { _, _ in nil }
        var isCallerDead = false
    }

    private let state = Mutex(State())
    let address: SafeServerAddress
    /// Runs at the moment when the caller dies.
    private let atDeath: @Sendable () -> Void

    init(_ address: String = "file:///memory", atDeath: @escaping @Sendable () -> Void = {}) throws {
        self.address = try SafeServerAddress(parsing: address)
        self.atDeath = atDeath
    }

    /// What a caller who is dead gets to hear. Whoever is alive never does.
    static let death = SafeExchangeError.refused(code: 9999)

    // MARK: Behind the exchange's back

    /// The document `config`, nil for none.
    var served: [UInt8]? {
        get { state.withLock { $0.config } }
        set { state.withLock { $0.config = newValue } }
    }

    /// Every backup, by its id.
    var backups: [String: [UInt8]] {
        get { state.withLock { $0.backups } }
        set { state.withLock { $0.backups = newValue } }
    }

    /// The requests since the last look.
    func takeRequests() -> [Request] {
        state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
    }

    /// From here on, decides by a request's number (from 0) and kind what goes wrong with it.
    func misbehave(_ fault: @escaping @Sendable (_ number: Int, Request) -> Fault?) {
        state.withLock { $0.requests = [] }
        state.withLock { $0.fault = fault }
    }

    /// Whatever went wrong is over.
    /// - Returns: whether the caller had died.
    @discardableResult
    func recover() -> Bool {
        state.withLock { state in
            defer { state.isCallerDead = false }
            state.fault = { _, _ in nil }
            state.requests = []
            return state.isCallerDead
        }
    }

    // MARK: Requests

    private func answer<Answer>(
        _ request: Request, lying: ([UInt8]?) -> Answer?, ignored: Answer, _ body: (inout State) -> Answer
    ) throws(SafeExchangeError) -> Answer {
        let fault = state.withLock { state -> Fault? in
            if state.isCallerDead { return .refused(Self.death) }
            defer { state.requests.append(request) }
            return state.fault(state.requests.count, request)
        }
        switch fault {
        case .refused(let error): throw error
        case .ignored: return ignored
        case .lie(let bytes): if let answer = lying(bytes) { return answer }
        case .deathBefore: throw die()
        case .deathAfter:
            _ = state.withLock { body(&$0) }
            throw die()
        case .answerLost:
            _ = state.withLock { body(&$0) }
            throw .unavailable(address.text)
        case nil: break
        }
        return state.withLock { body(&$0) }
    }

    private func die() -> SafeExchangeError {
        state.withLock { $0.isCallerDead = true }
        atDeath()
        return Self.death
    }
}

extension MemoryServer: SafeExchange {
    func config() throws(SafeExchangeError) -> [UInt8] {
        let config = try answer(.config, lying: { $0 }, ignored: [] as [UInt8]?) { $0.config }
        guard let config else { throw .notPrepared(address.text) }
        return config
    }

    func fetch(_ id: BackupID) throws(SafeExchangeError) -> StoredBackup? {
        try answer(.fetch, lying: { .some($0) }, ignored: nil) { $0.backups[id.hex] }.map { StoredBackup(bytes: $0) }
    }

    func store(_ backup: [UInt8], at id: BackupID, if condition: WriteCondition) throws(SafeExchangeError) {
        try answer(.store, lying: { _ in nil }, ignored: ()) { $0.backups[id.hex] = backup }
    }

    func remove(_ id: BackupID, if condition: WriteCondition) throws(SafeExchangeError) {
        try answer(.remove, lying: { _ in nil }, ignored: ()) { $0.backups[id.hex] = nil }
    }

    func prepare(_ limits: ServerLimits) throws(SafeExchangeError) {
        try answer(.prepare, lying: { _ in nil }, ignored: ()) { $0.config = $0.config ?? limits.config }
    }
}
