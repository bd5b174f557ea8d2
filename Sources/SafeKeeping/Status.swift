public import Encodings
internal import Keystore
internal import Primitives
public import SafeWire
internal import SecureMemory
public import Threema

extension SafeKeeper {
    /// What is known of a Safe without asking its server.
    public struct Status: Equatable, Sendable {
        /// Where the backup lies, or is to lie.
        public let server: SafeServerAddress
        /// When the backup was last uploaded; nil where that is unknown.
        public let uploadedAt: Timestamp?
        /// When it was last seen on the server.
        public let seenAt: Timestamp?
        /// When the server may delete it.
        public let expiresAt: Timestamp?
        /// The highest number that was seen.
        public let generation: Int64
        /// Whether the profile was changed since the last upload, or was never uploaded.
        public let hasChanges: Bool
        /// Whether the last push did not end well.
        public let hasFailed: Bool
        /// Whether a change of password or server is not finished.
        public let isChanging: Bool
        /// Whether a deletion is not finished.
        public let isDeleting: Bool
        /// The server that still holds a backup under an earlier password; nil where none does.
        public let oldServer: String?
        /// When a person last proved to know the Safe password.
        public let passwordProvenAt: Timestamp?
        /// When a backup code of the identity was last opened.
        public let codeProvenAt: Timestamp?

        /// The last moment at which the backup is known to have been on the server; nil for never.
        public var lastSuccess: Timestamp? { [uploadedAt, seenAt].compactMap { $0 }.max() }

        /// When a push last ended well, even if it had nothing to do; nil where none ever uploaded anything.
        public let lastGoodPush: Timestamp?
    }

    /// What the server of a Safe says.
    public struct RemoteStatus: Equatable, Sendable {
        /// What it allows.
        public let limits: ServerLimits
        /// Length of the backup that it holds; nil where it holds none.
        public let bytes: Int?
        /// Whether that is the backup that was last seen there.
        public let isKnown: Bool
        /// The public key that it shows; nil for a folder.
        public let pin: PublicKeyPin?
        /// How far its clock is ahead of this machine's; nil where it shows none.
        public let clockLead: Duration?
    }

    /// Asks the server of a Safe what it holds. Changes nothing.
    /// - Throws: `SafeKeepingError.noSetup`, `.badLimits`; `SafeExchangeError`.
    public func askServer(of id: ThreemaID) throws -> RemoteStatus {
        let records = try keystore.identity(id.text)
        let target = try records.requiredSetup().takeCurrent()
        let server = connect(target)
        let limits = try Self.limits(of: server)
        let blob = try server.fetch(target.keys.backupID)?.bytes
        let key = stateKey
        let seen = try UploadState(of: records, key: key)
            .safe(at: TargetDigests(target, try records.profile(), key: key))?.seen
        return RemoteStatus(
            limits: limits, bytes: blob?.count, isKnown: blob.map { BLAKE2b.hash($0.span) == seen } ?? false,
            pin: try server.presentPin(), clockLead: server.notes.clockLead)
    }

    /// - Throws: `SafeKeepingError.noSetup`.
    public func status(of id: ThreemaID) throws -> Status {
        let records = try keystore.identity(id.text)
        let setup = try records.requiredSetup()
        let key = stateKey
        let state = try UploadState(of: records, key: key)
        let digests = TargetDigests(setup.current, try records.profile(), key: key)
        let safe = state.safe(at: digests)
        let moment = now()
        // A moment in the future is a clock that was wrong then or is wrong now: it proves nothing.
        let uploadedAt = safe?.uploadedAt.flatMap { $0 <= moment ? $0 : nil }
        let retention = ServerLimits.clampedRetentionDays(safe?.retentionDays ?? 0)
        let oldServer: String?
        switch setup.retiring {
        case .some(let retiring): oldServer = retiring.address.text
        case .none: oldServer = nil
        }
        let isChanging: Bool
        switch setup.next {
        case .some: isChanging = true
        case .none: isChanging = false
        }
        return Status(
            server: setup.current.address, uploadedAt: uploadedAt,
            seenAt: safe?.seenAt.flatMap { $0 <= moment ? $0 : nil },
            expiresAt: uploadedAt.map { $0 + .days(retention) }, generation: safe?.generation ?? 0,
            hasChanges: safe?.content != digests.content, hasFailed: safe?.hasFailed ?? false,
            isChanging: isChanging, isDeleting: setup.isDeleting, oldServer: oldServer,
            passwordProvenAt: safe?.passwordProvenAt, codeProvenAt: state.codeProvenAt,
            lastGoodPush: try lastGoodPush(records, safe, moment))
    }

    /// The lock's time says when a push last had nothing to do. It only ever keeps a failure quiet for a while.
    private func lastGoodPush(
        _ records: borrowing IdentityRecords, _ safe: UploadState.Safe?, _ moment: Timestamp
    ) throws -> Timestamp? {
        let known = [safe?.uploadedAt, safe?.seenAt].compactMap { $0 }.filter { $0 <= moment }
        guard let last = known.max() else { return nil }
        let marked = try records.timeOfLock().map(Timestamp.init(milliseconds:))
        return marked.map { last < $0 && $0 <= moment ? $0 : last } ?? last
    }
}
