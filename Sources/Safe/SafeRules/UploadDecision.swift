package import Encodings
internal import SafeWire

/// Whether a Safe backup is due: Android's rule, and a look at the server at least once a week.
///
/// It is a pure function of the state and the clock. Neither is trusted: a value out of range counts as "never", which
/// uploads.
package enum UploadDecision: Equatable, Sendable {
    case upload(Reason)
    /// Look at the server and upload if the backup is missing. Due if the backup was not seen for a week, if a look did
    /// not find it, or if a request that was never answered may still arrive.
    case confirm
    case unchanged
    /// The document has changed, but the last upload is too recent. Due at that time.
    case deferred(until: Timestamp)
    /// The server asked to wait until then.
    case wait(until: Timestamp)

    /// Why an upload is due.
    package enum Reason: Sendable {
        case changed
        /// Half of the retention is over.
        case refresh
        case forced
        case afterFailure
    }

    /// What holds of the place after earlier runs.
    package struct Signs: OptionSet, Equatable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The document is the one that was last uploaded.
        package static let unchanged = Signs(rawValue: 1)
        /// The last push failed or was interrupted.
        package static let failed = Signs(rawValue: 2)
        /// The last look at the server did not find what was last uploaded.
        package static let finding = Signs(rawValue: 4)
    }

    /// The state of earlier runs.
    package struct Past: Equatable, Sendable {
        package var signs: Signs
        /// When the last upload ended; nil for never.
        package var lastUpload: Timestamp?
        /// When the last uploaded backup was last seen on the server.
        package var lastSeen: Timestamp?
        /// Until when the server asked to wait.
        package var notBefore: Timestamp?
        /// The retention of the server; outside of 1...3650 it counts as 180.
        package var retentionDays: Int64
        /// Until when a request that was never answered may still arrive.
        package var lookUntil: Timestamp?

        /// Accepts any values. Values out of range count as never.
        package init(
            _ signs: Signs, lastUpload: Timestamp?, lastSeen: Timestamp?, notBefore: Timestamp?, retentionDays: Int64,
            lookUntil: Timestamp? = nil
        ) {
            self.signs = signs
            self.lastUpload = lastUpload
            self.lastSeen = lastSeen
            self.notBefore = notBefore
            self.retentionDays = retentionDays
            self.lookUntil = lookUntil
        }

        /// Whether a request that was never answered may still arrive. A time of more than a day ahead is from a wrong
        /// clock.
        func isUnsettled(at now: Timestamp) -> Bool {
            guard let lookUntil else { return false }
            return now < lookUntil && lookUntil <= now + UploadDecision.settling
        }
    }

    /// Least time between two uploads of a changed backup.
    static let grace = Duration.hours(23)
    /// Longest time without a look at the server.
    static let trust = Duration.days(7)
    /// How long a request that was never answered may take to arrive.
    package static let settling = Duration.hours(24)
    /// A server that asks for a longer wait is ignored.
    package static let longestWait = Duration.hours(24)

    /// - Parameter isForced: whether to upload in any case.
    package static func decide(_ past: Past, isForced: Bool, now: Timestamp) -> UploadDecision {
        if isForced { return .upload(.forced) }
        if let end = endOfWait(past.notBefore, now: now) { return .wait(until: end) }
        let due = decideByTimes(past, now: now)
        if case .upload = due { return due }
        return past.signs.contains(.finding) || past.isUnsettled(at: now) ? .confirm : due
    }

    /// Until when a server is not asked, as it has asked; nil if that time is over, or more than `longestWait` ahead.
    static func endOfWait(_ notBefore: Timestamp?, now: Timestamp) -> Timestamp? {
        guard let notBefore, now < notBefore, notBefore <= now + longestWait else { return nil }
        return notBefore
    }

    private static func decideByTimes(_ past: Past, now: Timestamp) -> UploadDecision {
        if past.signs.contains(.failed) { return .upload(.afterFailure) }
        // An upload in the future shows that the clock was wrong then or is wrong now.
        guard let lastUpload = past.lastUpload, lastUpload <= now else { return .upload(.changed) }
        guard past.signs.contains(.unchanged) else {
            return lastUpload + grace > now ? .deferred(until: lastUpload + grace) : .upload(.changed)
        }
        if lastUpload + refreshAge(past.retentionDays) <= now { return .upload(.refresh) }
        guard let lastSeen = past.lastSeen, lastSeen <= now, now < lastSeen + trust else { return .confirm }
        return .unchanged
    }

    /// The age at which an upload is due again: half of the retention.
    package static func refreshAge(_ retentionDays: Int64) -> Duration {
        .hours(12 * ServerLimits.clampedRetentionDays(retentionDays))
    }
}
