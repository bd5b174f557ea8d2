package import Encodings
internal import Keystore
package import SafeRules
package import SafeWire
package import Threema

extension SafeKeeper {
    /// How to push.
    package typealias PushOptions = SafeVerb.Push

    /// What a push did.
    package struct PushResult: Equatable, Sendable {
        /// What was done, or was found to need no doing.
        package let outcome: Outcome.Result
        /// Where the backup lies, or is to lie.
        package let server: SafeServerAddress
        /// What was uploaded in this run; nil where nothing was.
        package let upload: Outcome.Upload?
        /// What the upload replaced although it was not what was last seen.
        package let replaced: Outcome.Replaced?
        /// Why the backup of an earlier change still lies at its old place; nil if it does not.
        package let left: SafeFailure?
        /// Why a change that was begun earlier cannot go on; nil if there is none, or if it is over.
        package let stuck: SafeFailure?
        /// What was noticed of the server on the way.
        package let notes: ExchangeNotes
        /// When the backup was last uploaded, this run included.
        package let uploadedAt: Timestamp?
        /// When it was last seen on the server as it was uploaded, this run included.
        package let seenAt: Timestamp?
        /// When the server may delete it.
        package let expiresAt: Timestamp?
        /// When half of the retention is over; nil where no upload is known.
        package let refreshAfter: Timestamp?

        init(_ result: RunResult) {
            let place = result.knowledge.current
            let retention = ServerLimits.clampedRetentionDays(place.retentionDays)
            outcome = result.outcome.result
            server = result.address
            upload = result.outcome.upload
            replaced = result.outcome.replaced
            left = result.outcome.left.first?.reason
            stuck = result.outcome.stuck
            notes = result.notes
            uploadedAt = place.uploadedAt
            seenAt = place.seenAt
            expiresAt = place.uploadedAt.map { $0 + .days(retention) }
            refreshAfter = place.uploadedAt.map { $0 + UploadDecision.refreshAge(place.retentionDays) }
        }

        /// 1, and one more for each request or run that was repeated; 0 where the server was not asked.
        package var attempts: Int {
            switch outcome {
            case .uploaded, .refreshed, .restored, .confirmed: 1 + notes.retries
            default: 0
            }
        }
    }

    /// Uploads the Safe backup of an identity if it is due (see `UploadDecision`). Needs no password.
    ///
    /// Nothing foreign is replaced: what stands on the server is fetched first and judged (`ReplacementRule`). A change
    /// of password or place that was begun is finished first, and the backup that it leaves is deleted last; neither
    /// can keep the push from the present place.
    /// - Throws: `SafeKeepingError.noSetup`, `.refused`, `.tooLarge`, `.badLimits`; `SafeExchangeError`;
    ///   `FileError.locked`.
    package func push(
        _ id: ThreemaID, _ options: PushOptions, lockWait: Duration = ThreemaKeeper.lockWait
    ) throws -> PushResult {
        let result = try run(.push(options), of: id, lockWait: lockWait)
        try check(result, of: id)
        // Best effort: another process that holds the lock now says the same in a moment.
        if !options.isDryRun {
            try? keystore.lockedIdentity(.threema(id), wait: .zero).setTimeOfLock(milliseconds: now().milliseconds)
        }
        return PushResult(result)
    }
}
