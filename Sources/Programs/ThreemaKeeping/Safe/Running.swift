internal import Encodings
internal import Keystore
internal import SafeRules
internal import SafeWire
internal import SecureMemory
internal import Threema
internal import ThreemaSafe

extension SafeKeeper {
    /// Backups that were replaced or deleted are kept for so many days.
    static let historyDays = 90
    /// And so many longer, until there are newer ones.
    static let leastHistory = 8

    /// What a verb led to, and what was noticed of the server on the way.
    struct RunResult {
        var outcome: Outcome
        /// Where the Safe is after the run.
        var address: SafeServerAddress
        var notes: ExchangeNotes
        /// Whether what was learned could not be written down.
        var isUnsaved: Bool
        /// What the present place was last seen to hold, encrypted.
        var bytes: [UInt8]?
        /// What is known after the run; of a setup that was forgotten, what was known before it ended.
        var knowledge: Knowledge
    }

    /// A verb and, for `change` and `readdress`, the place that it leads to.
    struct Job: ~Copyable {
        var verb: SafeVerb
        var candidate: SafeTarget?
    }

    /// Runs a verb, again from the beginning after failures that may pass. No lock is held while it waits.
    /// - Parameters:
    ///   - isLooking: the verb only looks: it goes on without the lock, and without writing anything down, if another
    ///     process holds it or if the keystore cannot be written.
    /// - Throws: `SafeKeepingError`, `SafeExchangeError`; what files, keys and backups throw.
    func run(
        _ verb: SafeVerb, of id: ThreemaID, lockWait: Duration = ThreemaKeeper.lockWait, isLooking: Bool = false
    ) throws -> RunResult {
        try run(id, lockWait, isLooking) { _ in Job(verb: verb, candidate: nil) }
    }

    /// - Parameter job: what is to be done, judged anew by the setup for each try: an earlier one may have begun it.
    func run(
        _ id: ThreemaID, _ lockWait: Duration = ThreemaKeeper.lockWait, _ isLooking: Bool = false,
        job: (borrowing SafeSetup) throws -> Job
    ) throws -> RunResult {
        var retries = 0
        var tries = 0
        var progress = Progress()
        // A verb that only looks goes on beside another process.
        var lookWait = Duration.zero
        while true {
            tries += 1
            var run = try begin(id, isLooking ? lookWait : lockWait, isLooking, job)
            let outcome = try run.drive(progress)
            progress = outcome.progress
            var result = RunResult(
                outcome: outcome, address: run.address(.current), notes: run.server(.current).notes,
                isUnsaved: run.isUnsaved, bytes: run.foundBytes, knowledge: run.knowledge())
            retries += result.notes.retries
            result.notes.retries = retries
            if run.isUnlocked, lookWait == .zero, outcome.failure?.isOfContent == true {
                // The other process may just have written what was found.
                lookWait = lockWait
                continue
            }
            guard case .exchange(let role, let error)? = outcome.failure else { return result }
            let server = run.server(role)
            // The lock is given back before anybody waits.
            _ = consume run
            guard server.pause(after: tries, error) else { return result }
            retries += 1
        }
    }

    private func begin(
        _ id: ThreemaID, _ lockWait: Duration, _ isLooking: Bool, _ job: (borrowing SafeSetup) throws -> Job
    ) throws -> SafeRun {
        guard isLooking else {
            let identity = try keystore.lockedIdentity(.threema(id), wait: lockWait)
            let job = try job(identity.records.requiredSetup())
            return try SafeRun.begin(self, id, .locked(identity), job)
        }
        let identity: LockedIdentity
        do {
            identity = try keystore.lockedIdentity(.threema(id), wait: lockWait)
        } catch let error where !(error is KeystoreError) {
            let records = try keystore.identity(.threema(id))
            let job = try job(records.requiredSetup())
            return try SafeRun.begin(self, id, .unlocked(records), job)
        }
        let job = try job(identity.records.requiredSetup())
        return try SafeRun.begin(self, id, .locked(identity), job, isLooking: true)
    }

    /// Throws what a verb's failure is to its caller.
    func check(_ result: RunResult, of id: ThreemaID) throws {
        guard let failure = result.outcome.failure else { return }
        throw error(failure, of: id, at: result.address, isChangeUnfinished: result.knowledge.next != nil)
    }

    /// A failure of the machine as the error that is thrown: a server's own where the present place is meant.
    private func error(
        _ failure: SafeFailure, of id: ThreemaID, at address: SafeServerAddress, isChangeUnfinished: Bool
    ) -> any Error {
        switch failure {
        case .exchange(.current, let error): error
        case .badLimits(.current, let error): SafeKeepingError.badLimits(error)
        case .tooLarge(let role, let bytes, let limit):
            SafeKeepingError.tooLarge(
                role, bytes: bytes, limit: limit,
                pictureBytes: (try? keystore.identity(.threema(id)).profile().document.profilePictureCount) ?? 0,
                isChangeUnfinished: role == .next && isChangeUnfinished)
        default:
            SafeKeepingError.refused(
                failure, id: id.text, server: address.text, isChangeUnfinished: isChangeUnfinished)
        }
    }
}
