package import Encodings
internal import Keystore
internal import ObservedTime
package import SafeRules
package import SafeWire
internal import Threema
internal import ThreemaRecords

extension SafeKeeper {
    /// The state of a Safe place, without a request to its server.
    package struct Status: Equatable, Sendable {
        /// The server of the backup.
        package let server: SafeServerAddress
        /// When the backup was last uploaded; nil if that is not known.
        package let uploadedAt: Timestamp?
        /// Whether the time of the upload is in the future, because the clock was wrong then or is now.
        package let isUploadInFuture: Bool
        /// When it was last seen on the server.
        package let seenAt: Timestamp?
        /// When the server may delete it.
        package let expiresAt: Timestamp?
        /// The highest generation that was seen.
        package let generation: Int64
        /// Whether the profile was changed since the last upload, or was never uploaded.
        package let hasChanges: Bool
        /// Whether the last push failed.
        package let hasFailed: Bool
        /// The new server of an unfinished change; nil if no change is unfinished.
        package let newServer: String?
        /// Whether the unfinished change is one of the password: then the new server is the present one.
        package let isChangingPassword: Bool
        /// Whether it was cancelled, and what was sent to the new server is still to be deleted.
        package let isChangeCancelled: Bool
        /// Whether a deletion was interrupted.
        package let isDeleting: Bool
        /// Whether this keystore deleted the backup, and did not upload or see one since.
        package let isDeleted: Bool
        /// The server that still holds the backup from before a change; nil if none does.
        package let oldServer: String?
        /// What the last look found instead of the expected backup; nil if it found that one.
        package let finding: Finding?
        /// Whether the server refuses a write whose condition does not hold; nil if that is not known.
        package let honoursConditions: Bool?
        /// When a person last entered the right Safe password.
        package let passwordProvenAt: Timestamp?
        /// When a backup code of the identity was last opened.
        package let codeProvenAt: Timestamp?

        /// Length of the backup in bytes; nil if it is not known.
        package let bytes: Int?

        /// When the backup was last known to be on the server; nil for never.
        package var lastSeen: Timestamp? {
            isReadOnly ? lastGoodMirror : [uploadedAt, seenAt].compactMap { $0 }.max()
        }

        /// As `lastSeen`; nil also if the last look did not find the backup.
        package var lastSuccess: Timestamp? { finding == nil ? lastSeen : nil }

        /// How long ago the backup was last known to be on the server, for alarms; nil for never.
        package let lastSeenAge: Duration?

        /// Whether the Safe is set up for reading only.
        package let isReadOnly: Bool
        /// When the newest mirrored backup was first fetched; nil if nothing was mirrored.
        package let mirroredAt: Timestamp?
        /// When a mirror last found the backup in order.
        package let lastGoodMirror: Timestamp?
        package let lastGoodMirrorAge: Duration?

        /// When a push last succeeded, even if it had nothing to do; nil if none ever uploaded anything.
        package let lastGoodPush: Timestamp?
        /// How long ago that was, for alarms.
        package let lastGoodPushAge: Duration?
    }

    /// - Throws: `SafeKeepingError.noSetup`.
    package func status(of safe: SafePlace) throws -> Status {
        let records = try keystore.identity(.threema(safe.id))
        let setup = try records.requiredSetup(at: safe.name)
        let key = stateKey
        let state = try UploadState(of: records, at: safe.name, key: key)
        let place = state.state(at: setup.current, TargetDigests(setup.current, try records.profile(), key: key))
        let timestamp = now()
        // A timestamp in the future is from a wrong clock, so it proves nothing.
        let uploadedAt = place.uploadedAt?.notAfter(timestamp)
        let retention = ServerLimits.clampedRetentionDays(place.retentionDays)
        var clock = state.clock
        clock.read(timestamp)
        let known = setup.isReadOnly ? place.mirror?.succeededAt : place.knownAt
        let lastPush = try lastGoodPush(records, safe.name, place, clock, timestamp)
        // A finished deletion clears the expected backup, but not the journal.
        let isForgotten = place.last == nil && place.uploadedAt == nil && place.seenAt == nil && place.finding == nil
        let isDeleted = isForgotten && !place.hasFailed && !setup.isDeleting && !place.journal.isEmpty
        return Status(
            server: setup.current.address, uploadedAt: uploadedAt,
            isUploadInFuture: uploadedAt == nil && place.uploadedAt != nil,
            seenAt: place.seenAt?.notAfter(timestamp),
            expiresAt: uploadedAt.map { $0 + .days(retention) }, generation: place.generation,
            hasChanges: place.content != place.document, hasFailed: place.hasFailed,
            newServer: SafeSetup.addressText(of: setup.next), isChangingPassword: setup.isChangingPassword,
            isChangeCancelled: state.next?.state.isAbandoned ?? false,
            isDeleting: setup.isDeleting, isDeleted: isDeleted,
            oldServer: SafeSetup.addressText(of: setup.retiring), finding: place.finding,
            honoursConditions: place.honoursConditions,
            passwordProvenAt: place.passwordProvenAt, codeProvenAt: try records.codeProvenAt(key: key),
            bytes: place.bytes > 0 ? Int(place.bytes) : nil, lastSeenAge: known?.alarmAge(by: clock),
            isReadOnly: setup.isReadOnly, mirroredAt: place.mirror?.changedAt?.wall,
            lastGoodMirror: place.mirror?.succeededAt?.wall.notAfter(timestamp),
            lastGoodMirrorAge: place.mirror?.succeededAt?.alarmAge(by: clock),
            lastGoodPush: lastPush?.time, lastGoodPushAge: lastPush?.age)
    }

    /// The time of a file tells when a push last had nothing to do. An attacker who changes it can only delay the report
    /// of a failure.
    private func lastGoodPush(
        _ records: borrowing IdentityRecords, _ name: PlaceName, _ place: PlaceState, _ clock: ObservedClock,
        _ now: Timestamp
    ) throws -> (time: Timestamp?, age: Duration)? {
        guard let known = place.pushedAt else { return nil }
        let marked = try records.timeOfSuccess(of: name).map(Timestamp.init(milliseconds:))
        guard let marked, known.latest < marked, marked <= now else {
            return (known.wall.notAfter(now), known.alarmAge(by: clock))
        }
        return (marked, now - marked)
    }
}

extension Timestamp {
    /// Nil for a time in the future, which is from a wrong clock and proves nothing.
    fileprivate func notAfter(_ now: Timestamp) -> Timestamp? { self <= now ? self : nil }
}
