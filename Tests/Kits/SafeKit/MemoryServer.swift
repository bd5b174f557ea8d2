package import SafeWire
import Synchronization

/// A Safe server in memory, prepared, that honours conditions. It can fail, lie, lose its answer, and see the process
/// die that asks it.
package final class MemoryServer: Sendable {
    package enum Request: Equatable, Sendable {
        case config, fetch, store, remove, prepare
    }

    /// What goes wrong with a request.
    package enum Fault: Sendable {
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
        var isAway = false
        var pausing: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    package let address: SafeServerAddress
    /// Runs at the moment when the caller dies.
    private let atDeath: @Sendable () -> Void

    package init(_ address: String = "file:///memory", atDeath: @escaping @Sendable () -> Void = {}) throws {
        self.address = try SafeServerAddress(parsing: address)
        self.atDeath = atDeath
    }

    /// What a caller who is dead gets to hear. A living caller never gets it.
    package static let death = SafeExchangeError.refused(code: 9999)

    // MARK: Behind the exchange's back

    /// The document `config`, nil for none.
    package var served: [UInt8]? {
        get { state.withLock { $0.config } }
        set { state.withLock { $0.config = newValue } }
    }

    /// Every backup, by its id.
    package var backups: [String: [UInt8]] {
        get { state.withLock { $0.backups } }
        set { state.withLock { $0.backups = newValue } }
    }

    /// From here on nothing answers.
    package func takeAway() { state.withLock { $0.isAway = true } }

    /// The requests since the last look.
    package func takeRequests() -> [Request] {
        state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
    }

    /// From here on, decides by a request's number (from 0) and kind what goes wrong with it.
    package func misbehave(_ fault: @escaping @Sendable (_ number: Int, Request) -> Fault?) {
        state.withLock { $0.requests = [] }
        state.withLock { $0.fault = fault }
    }

    /// From here on, a temporary failure is followed by another try, and this happens before it.
    package func retry(after pausing: @escaping @Sendable () -> Void) {
        state.withLock { $0.pausing = pausing }
    }

    /// Whatever went wrong is over.
    /// - Returns: whether the caller had died.
    @discardableResult
    package func recover() -> Bool {
        state.withLock { state in
            defer { state.isCallerDead = false }
            state.fault = { _, _ in nil }
            state.requests = []
            return state.isCallerDead
        }
    }

    // MARK: Requests

    private func answer<Answer>(
        _ request: Request, lying: ([UInt8]?) -> Answer?, ignored: Answer,
        _ body: (inout State) throws(SafeExchangeError) -> Answer
    ) throws(SafeExchangeError) -> Answer {
        let fault = state.withLock { state -> Fault? in
            if state.isCallerDead { return .refused(Self.death) }
            if state.isAway { return .refused(.unavailable(address.text)) }
            defer { state.requests.append(request) }
            return state.fault(state.requests.count, request)
        }
        switch fault {
        case .refused(let error): throw error
        case .ignored: return ignored
        case .lie(let bytes): if let answer = lying(bytes) { return answer }
        case .deathBefore: throw die()
        case .deathAfter:
            _ = try? carryOut(body)
            throw die()
        case .answerLost:
            _ = try? carryOut(body)
            throw .unavailable(address.text)
        case nil: break
        }
        return try carryOut(body)
    }

    private func carryOut<Answer>(
        _ body: (inout State) throws(SafeExchangeError) -> Answer
    ) throws(SafeExchangeError) -> Answer {
        let result = state.withLock { state -> Result<Answer, SafeExchangeError> in
            do throws(SafeExchangeError) { return .success(try body(&state)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    private func die() -> SafeExchangeError {
        state.withLock { $0.isCallerDead = true }
        atDeath()
        return Self.death
    }

    /// A tag that tells contents apart, as a server's entity tag does.
    private static func tag(_ bytes: [UInt8]) -> String {
        "\"\(bytes.count)-\(bytes.reduce(into: UInt64(14_695_981_039_346_656_037)) { $0 = ($0 ^ UInt64($1)) &* 1_099_511_628_211 })\""
    }

    private func check(_ condition: WriteCondition, _ present: [UInt8]?) throws(SafeExchangeError) {
        switch condition {
        case .none: break
        case .absent: if present != nil { throw .changed(address.text) }
        case .unchanged(let tag): if present.map(Self.tag) != tag { throw .changed(address.text) }
        }
    }
}

extension MemoryServer: SafeExchange {
    package func pause(after tries: Int, _ error: SafeExchangeError) -> Bool {
        guard let pausing = state.withLock({ $0.pausing }) else { return false }
        pausing()
        return true
    }

    package func config() throws(SafeExchangeError) -> [UInt8] {
        let config = try answer(.config, lying: { $0 }, ignored: [] as [UInt8]?) { $0.config }
        guard let config else { throw .notPrepared(address.text) }
        guard config.count <= ServerLimits.maxConfigBytes else {
            throw .tooLarge(limit: ServerLimits.maxConfigBytes)
        }
        return config
    }

    package func fetch(_ id: BackupID) throws(SafeExchangeError) -> StoredBackup? {
        let bytes = try answer(.fetch, lying: { .some($0) }, ignored: nil) { $0.backups[id.hex] }
        guard let bytes else { return nil }
        guard bytes.count <= maxFetchedBytes else { throw .tooLarge(limit: maxFetchedBytes) }
        return StoredBackup(bytes: bytes, tag: Self.tag(bytes))
    }

    package func store(_ backup: [UInt8], at id: BackupID, if condition: WriteCondition) throws(SafeExchangeError) {
        try answer(.store, lying: { _ in nil }, ignored: ()) { state throws(SafeExchangeError) in
            try check(condition, state.backups[id.hex])
            state.backups[id.hex] = backup
        }
    }

    package func remove(_ id: BackupID, if condition: WriteCondition) throws(SafeExchangeError) {
        try answer(.remove, lying: { _ in nil }, ignored: ()) { state throws(SafeExchangeError) in
            try check(condition, state.backups[id.hex])
            state.backups[id.hex] = nil
        }
    }

    package func prepare(_ limits: ServerLimits) throws(SafeExchangeError) {
        try answer(.prepare, lying: { _ in nil }, ignored: ()) { $0.config = $0.config ?? limits.config }
    }
}
