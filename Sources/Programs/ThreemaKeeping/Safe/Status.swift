package import Encodings
internal import Keystore
package import SafeRules
package import SafeWire
internal import SecureMemory
package import Threema

extension SafeKeeper {
    /// What is known of a Safe without asking its server.
    package struct Status: Equatable, Sendable {
        /// Where the backup lies, or is to lie.
        package let server: SafeServerAddress
        /// When the backup was last uploaded; nil where that is unknown.
        package let uploadedAt: Timestamp?
        /// When it was last seen on the server.
        package let seenAt: Timestamp?
        /// When the server may delete it.
        package let expiresAt: Timestamp?
        /// The highest number that was seen.
        package let generation: Int64
        /// Whether the profile was changed since the last upload, or was never uploaded.
        package let hasChanges: Bool
        /// Whether the last push did not end well.
        package let hasFailed: Bool
        /// Where a change of password or place leads that is not finished; nil if there is none.
        package let newServer: String?
        /// Whether a deletion was interrupted.
        package let isDeleting: Bool
        /// Whether the backup was deleted from here, and none was uploaded or seen since.
        package let isDeleted: Bool
        /// The server that still holds the backup from before a change; nil if none does.
        package let oldServer: String?
        /// What the last look at the server found instead of the backup; nil if it found that.
        package let finding: Finding?
        /// Whether the server refuses a write whose condition does not hold; nil if that is not known.
        package let honoursConditions: Bool?
        /// When a person last proved to know the Safe password.
        package let passwordProvenAt: Timestamp?
        /// When a backup code of the identity was last opened.
        package let codeProvenAt: Timestamp?

        /// When the backup was last known to be on the server; nil for never, and after a look
        /// that did not find it.
        package var lastSuccess: Timestamp? {
            finding == nil ? [uploadedAt, seenAt].compactMap { $0 }.max() : nil
        }

        /// When a push last ended well, even if it had nothing to do; nil where none ever uploaded anything.
        package let lastGoodPush: Timestamp?
    }

    /// - Throws: `SafeKeepingError.noSetup`.
    package func status(of id: ThreemaID) throws -> Status {
        let records = try keystore.identity(.threema(id))
        let setup = try records.requiredSetup()
        let key = stateKey
        let state = try UploadState(of: records, key: key)
        let place = state.state(at: setup.current, TargetDigests(setup.current, try records.profile(), key: key))
        let timestamp = now()
        // A timestamp in the future is a clock that was wrong then or is wrong now: it proves nothing.
        let uploadedAt = place.uploadedAt.flatMap { $0 <= timestamp ? $0 : nil }
        let retention = ServerLimits.clampedRetentionDays(place.retentionDays)
        let oldServer: String?
        switch setup.retiring {
        case .some(let retiring): oldServer = retiring.address.text
        case .none: oldServer = nil
        }
        let newServer: String?
        switch setup.next {
        case .some(let next): newServer = next.address.text
        case .none: newServer = nil
        }
        // A deletion that is complete forgets what was there, but not what was ever sent.
        let isForgotten = place.last == nil && place.uploadedAt == nil && place.seenAt == nil && place.finding == nil
        let isDeleted = isForgotten && !place.hasFailed && !setup.isDeleting && !place.journal.isEmpty
        return Status(
            server: setup.current.address, uploadedAt: uploadedAt,
            seenAt: place.seenAt.flatMap { $0 <= timestamp ? $0 : nil },
            expiresAt: uploadedAt.map { $0 + .days(retention) }, generation: place.generation,
            hasChanges: place.content != place.document, hasFailed: place.hasFailed, newServer: newServer,
            isDeleting: setup.isDeleting, isDeleted: isDeleted, oldServer: oldServer, finding: place.finding,
            honoursConditions: place.honoursConditions, passwordProvenAt: place.passwordProvenAt,
            codeProvenAt: state.codeProvenAt, lastGoodPush: try lastGoodPush(records, place, timestamp))
    }

    /// The lock's time says when a push last had nothing to do. It only ever keeps a failure quiet for a while.
    private func lastGoodPush(
        _ records: borrowing IdentityRecords, _ place: PlaceState, _ timestamp: Timestamp
    ) throws -> Timestamp? {
        let known = [place.uploadedAt, place.seenAt].compactMap { $0 }.filter { $0 <= timestamp }
        guard let last = known.max() else { return nil }
        let marked = try records.timeOfLock().map(Timestamp.init(milliseconds:))
        return marked.map { last < $0 && $0 <= timestamp ? $0 : last } ?? last
    }
}
