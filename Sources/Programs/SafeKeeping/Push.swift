package import Encodings
internal import Keystore
package import SafeRules
package import SafeWire
internal import Threema
internal import ThreemaRecords

extension SafeKeeper {
    /// The options of a push.
    package typealias PushOptions = SafeVerb.Push

    /// The result of a push.
    package struct PushResult: Equatable, Sendable {
        /// What was done.
        package let outcome: Outcome.Result
        /// The server of the backup.
        package let server: SafeServerAddress
        /// The upload of this run; nil if nothing was uploaded.
        package let upload: Outcome.Upload?
        /// What the upload replaced, if that was not the backup that was last seen.
        package let replaced: Outcome.Replaced?
        /// Why the old place of an earlier change still holds a backup; nil if it does not.
        package let left: SafeFailure?
        /// Why an unfinished change cannot continue; nil if no change is unfinished.
        package let stuck: SafeFailure?
        /// Retries and the server's clock.
        package let notes: ExchangeNotes
        /// When the backup was last uploaded, including this run.
        package let uploadedAt: Timestamp?
        /// When that backup was last seen on the server, including this run.
        package let seenAt: Timestamp?
        /// When the server may delete it.
        package let expiresAt: Timestamp?
        /// When half of the retention is over; nil without a known upload.
        package let refreshAfter: Timestamp?

        init(_ result: RunResult) {
            let place = result.knowledge.current
            let retention = ServerLimits.clampedRetentionDays(place.retentionDays)
            outcome = result.outcome.result
            server = result.address
            upload = result.outcome.upload
            replaced = result.outcome.replaced ?? (result.outcome.progress.hasReplacedForeign ? .foreign : nil)
            left = result.outcome.left.first?.reason
            stuck = result.outcome.stuck
            notes = result.notes
            uploadedAt = place.uploadedAt
            seenAt = place.seenAt
            expiresAt = place.uploadedAt.map { $0 + .days(retention) }
            refreshAfter = place.uploadedAt.map { $0 + UploadDecision.refreshAge(place.retentionDays) }
        }

        /// 1, plus one for each repeated request or run; 0 if no request was sent.
        package var attempts: Int {
            switch outcome {
            case .uploaded, .refreshed, .restored, .confirmed: 1 + notes.retries
            default: 0
            }
        }
    }

    /// Uploads the Safe backup of an identity to one place if it is due (see `UploadDecision`). Needs no password.
    ///
    /// A foreign backup is not replaced: the present backup is fetched first and judged (`ReplacementRule`). Before the
    /// upload an unfinished change of password or place is finished, and after it the backup that the change left is
    /// deleted. A failure of either does not prevent the push to the current place.
    /// - Throws: `SafeKeepingError.noSetup`, `.refused`, `.tooLarge`, `.badLimits`; `SafeExchangeError`;
    ///   `FileError.locked`.
    package func push(
        _ place: SafePlace, _ options: PushOptions, lockWait: Duration = LockedIdentity.usualWait
    ) throws -> PushResult {
        let result = try run(place, lockWait, use: options.isDryRun ? .reading : .writing) { _ in
            Job(verb: .push(options))
        }
        try check(result, at: place)
        // Best effort: another process that holds the lock will set the same time.
        if !options.isDryRun {
            try? keystore.lockedIdentity(.threema(place.id), wait: .zero)
                .setTimeOfSuccess(milliseconds: now().milliseconds, of: place.name)
        }
        return PushResult(result)
    }
}
