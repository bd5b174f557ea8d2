internal import Keystore
internal import ObservedTime
internal import SafeRules
internal import SafeWire
internal import Threema
internal import ThreemaRecords
internal import ThreemaSafe

extension SafeKeeper {
    /// The result of a run.
    struct RunResult {
        var outcome: Outcome
        /// The server of the Safe after the run.
        var address: SafeServerAddress
        var notes: ExchangeNotes
        /// Whether new knowledge could not be saved.
        var isUnsaved: Bool
        /// The encrypted backup that was last fetched from the current place.
        var bytes: [UInt8]?
        /// The other places of the identity whose backup was found missing after a deletion.
        var lost = LostPlaces(places: [], areRestored: true)
        /// The knowledge after the run; if the setup was removed, that before its end.
        var knowledge: Knowledge
        /// The place's clock.
        var clock: ObservedClock
    }

    /// A verb and, for `change` and `readdress`, the new place.
    struct Job: ~Copyable {
        var verb: SafeVerb
        var candidate: SafeTarget?
        /// Whether to turn the new place, if it is an empty directory, into a Safe server before it is used.
        var isPreparing = false
    }

    /// What a run needs of the keystore.
    enum KeystoreUse {
        /// Its lock, and to write: the verb changes something.
        case writing
        /// To read. The finding is saved unless another process holds the lock or the keystore cannot be written.
        case reading
        /// As `reading`, but the keystore is not changed if the expected backup is found.
        case readingUnlessLost
    }

    /// Runs a verb, and again from the beginning after temporary failures. No lock is held during a wait.
    /// - Parameter job: returns the job for the present setup. It is called for each try, because an earlier one may
    ///   have begun the job.
    /// - Throws: `SafeKeepingError`, `SafeExchangeError`; errors of files, keys and backups.
    func run(
        _ place: SafePlace, _ lockWait: Duration = LockedIdentity.usualWait, use: KeystoreUse = .writing,
        job: (borrowing SafeSetup) throws -> Job
    ) throws -> RunResult {
        var retries = 0
        var tries = 0
        var progress = Progress()
        // The other places to be read after the run, without the lock.
        var survivors: [SafePlace] = []
        let isLooking = use != .writing
        // A verb that only looks works while another process holds the lock. Nil: it does not try to take it.
        var lookWait: Duration? = use == .readingUnlessLost ? nil : .zero
        while true {
            tries += 1
            let holding = try hold(place, isLooking ? lookWait : lockWait, isLooking: isLooking)
            var run = try SafeRun(self, place, holding, isLooking: isLooking, job)
            let outcome = try run.drive(progress)
            progress = outcome.progress
            survivors = run.survivors + survivors.filter { !run.survivors.contains($0) }
            var result = RunResult(
                outcome: outcome, address: run.address(.current), notes: run.server(.current).notes,
                isUnsaved: run.isUnsaved, bytes: run.foundBytes, knowledge: run.knowledge(),
                clock: run.state.clock)
            retries += result.notes.retries
            result.notes.retries = retries
            if run.isUnlocked, lookWait != lockWait, outcome.failure?.isOfContent == true {
                // Another process may have just uploaded what was found; otherwise the finding is to be saved.
                lookWait = lockWait
                continue
            }
            var failed: (server: any SafeExchange, error: SafeExchangeError)?
            if case .exchange(let role, let error)? = outcome.failure { failed = (run.server(role), error) }
            // The lock is released before the wait.
            _ = consume run
            if let (server, error) = failed, server.pause(after: tries, error) {
                retries += 1
                continue
            }
            result.lost = lookAgain(at: survivors)
            return result
        }
    }

    /// The records of an identity, with its lock; without it if a verb only looks and cannot have it.
    /// - Parameter lockWait: nil to work without the lock.
    private func hold(_ place: SafePlace, _ lockWait: Duration?, isLooking: Bool) throws -> Holding {
        if let lockWait {
            do {
                return .locked(try keystore.lockedIdentity(.threema(place.id), wait: lockWait))
            } catch let error where isLooking && !(error is KeystoreError) {}
        }
        return .unlocked(try keystore.identity(.threema(place.id)))
    }

    /// Throws a verb's failure as an error.
    func check(_ result: RunResult, at place: SafePlace) throws {
        guard let failure = result.outcome.failure else {
            guard !result.lost.places.isEmpty else { return }
            throw SafeKeepingError.othersLost(
                id: place.id.text, places: result.lost.places.map(\.name.text), areRestored: result.lost.areRestored)
        }
        throw error(failure, of: place.id, at: result.address, result.knowledge.stage)
    }

    /// The error for a failure of the machine: the server's own error if it is about the current place.
    private func error(
        _ failure: SafeFailure, of id: ThreemaID, at address: SafeServerAddress, _ stage: SetupStage
    ) -> any Error {
        switch failure {
        case .exchange(.current, let error): error
        case .badLimits(.current, let error): SafeKeepingError.badLimits(error)
        case .tooLarge(let role, let bytes, let limit):
            SafeKeepingError.tooLarge(
                role, bytes: bytes, limit: limit,
                pictureBytes: (try? keystore.identity(.threema(id)).profile().document.profilePictureCount) ?? 0,
                isChangeUnfinished: role == .next && stage == .changeUnfinished)
        default:
            SafeKeepingError.refused(failure, id: id.text, server: address.text, stage: stage)
        }
    }
}
