public import Encodings
internal import SafeWire

/// Whether a Safe backup is due: Android's rule, and a look at the server at least once a week.
///
/// A pure function of what is remembered and of the clock, neither of which is trusted: whatever makes
/// no sense counts as "never", which uploads.
public enum UploadDecision: Equatable, Sendable {
    case upload(Reason)
    /// Nothing changed, but the backup was not seen on the server for a week: look, and upload if it is gone.
    case confirm
    case unchanged
    /// Changed, but the last upload is too recent; due at that moment.
    case deferred(until: Timestamp)
    /// The server asked not to be bothered until then.
    case wait(until: Timestamp)

    /// Why an upload is due.
    public enum Reason: Sendable {
        case changed
        /// Half of the retention is over.
        case refresh
        case forced
        case afterFailure
    }

    /// What is remembered of earlier runs.
    public struct Past: Equatable, Sendable {
        /// Whether the document is the one that was last uploaded.
        public var isUnchanged: Bool
        /// Whether the last push did not end well, or did not end.
        public var hasFailed: Bool
        /// When the last upload ended; nil for never.
        public var lastUpload: Timestamp?
        /// When the backup was last seen on the server as it was uploaded.
        public var lastSeen: Timestamp?
        /// Until when the server asked to wait.
        public var notBefore: Timestamp?
        /// What the server said; outside 1...3650 it counts as 180.
        public var retentionDays: Int64

        /// Any values are accepted: what makes no sense counts as never.
        public init(
            isUnchanged: Bool, hasFailed: Bool, lastUpload: Timestamp?, lastSeen: Timestamp?,
            notBefore: Timestamp?, retentionDays: Int64
        ) {
            self.isUnchanged = isUnchanged
            self.hasFailed = hasFailed
            self.lastUpload = lastUpload
            self.lastSeen = lastSeen
            self.notBefore = notBefore
            self.retentionDays = retentionDays
        }
    }

    /// Least time between two uploads of a changed backup.
    static let grace = Duration.hours(23)
    /// Longest time for which a backup is believed to be on the server without looking.
    static let trust = Duration.days(7)
    /// A server that asks for a longer wait than this is not believed.
    public static let longestWait = Duration.hours(24)

    /// - Parameter isForced: uploads at once, whatever else.
    public static func decide(_ past: Past, isForced: Bool, now: Timestamp) -> UploadDecision {
        if isForced { return .upload(.forced) }
        if let notBefore = past.notBefore, now < notBefore, notBefore <= now + longestWait {
            return .wait(until: notBefore)
        }
        if past.hasFailed { return .upload(.afterFailure) }
        // An upload in the future is a clock that was wrong then or is wrong now.
        guard let lastUpload = past.lastUpload, lastUpload <= now else { return .upload(.changed) }
        guard past.isUnchanged else {
            return lastUpload + grace > now ? .deferred(until: lastUpload + grace) : .upload(.changed)
        }
        if lastUpload + refreshAge(past.retentionDays) <= now { return .upload(.refresh) }
        guard let lastSeen = past.lastSeen, lastSeen <= now, now < lastSeen + trust else { return .confirm }
        return .unchanged
    }

    /// Age of an upload at which it is due again: half of the retention.
    public static func refreshAge(_ retentionDays: Int64) -> Duration {
        .hours(12 * ServerLimits.clampedRetentionDays(retentionDays))
    }
}
