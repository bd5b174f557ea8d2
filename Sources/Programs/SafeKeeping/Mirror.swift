package import Encodings
internal import Keystore
internal import ObservedTime
package import SafeRules
package import SafeWire

extension SafeKeeper {
    /// The options of mirroring.
    package typealias MirrorOptions = SafeVerb.Mirror

    /// The result of mirroring a backup that is in order.
    package struct MirrorResult: Equatable, Sendable {
        /// Whether the backup was new and was stored.
        package let isNew: Bool
        /// The server of the backup.
        package let server: SafeServerAddress
        /// Length of the encrypted backup in bytes.
        package let bytes: Int
        /// Number of contacts in the backup.
        package let contacts: Int
        /// Number of groups in the backup.
        package let groups: Int
        /// When this backup was first fetched.
        package let changedAt: Timestamp
        /// How long ago that was, for alarms.
        package let changedAge: Duration
        /// Retries and the server's clock.
        package let notes: ExchangeNotes
    }

    /// Fetches the Safe backup at a place, opens it, and stores its encrypted bytes in the history if they are new.
    /// Nothing is written to the server, and no later verb may replace the backup because of this.
    /// - Throws: `SafeKeepingError.noSetup`; `.refused(.mirror)` if the backup is not in order; `SafeExchangeError`;
    ///   `FileError`, then the backup was not stored.
    package func mirror(
        _ place: SafePlace, _ options: MirrorOptions, lockWait: Duration = LockedIdentity.usualWait
    ) throws -> MirrorResult {
        let result = try run(place, lockWait) { _ in Job(verb: .mirror(options)) }
        try check(result, at: place)
        var contents: Found.Contents?
        if case .authentic(_, let found)? = result.outcome.found { contents = found }
        let changed = result.knowledge.current.mirror?.changedAt
        return MirrorResult(
            isNew: result.outcome.result == .mirrored, server: result.address, bytes: result.bytes?.count ?? 0,
            contacts: contents?.contacts ?? 0, groups: contents?.groups ?? 0,
            changedAt: changed?.wall ?? now(), changedAge: changed?.alarmAge(by: result.clock) ?? .zero,
            notes: result.notes)
    }
}
