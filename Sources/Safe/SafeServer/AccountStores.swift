internal import HTTP
internal import AtomicFiles
internal import SafeStore
internal import SafeWire

/// What the backups of a server's accounts are stored in.
protocol AccountStores: Sendable {
    /// Called for each account of a file that was read.
    /// - Returns: false if it has failed: then it is called again when the account is used.
    func prepare(_ account: AccountName) -> Bool

    /// Answers the requests of an account.
    /// - Parameters:
    ///   - shared: what all responders of this account share.
    ///   - authorize: throws if the account may not write any more; called as late as possible before each write.
    func responder(
        of account: AccountName, _ shared: AccountShare, _ settings: ResponderSettings,
        authorize: @escaping WriteCheck
    ) -> any CountedAnswering

    /// Deletes what a sweep decides about the backups of all accounts, and of those that were removed.
    func expire(_ sweep: Sweep) throws(StoreError) -> SweepReport
}

/// What stays of an account when its password changes: writes under the old one may still be under way.
struct AccountShare: Sendable {
    let quota = Quota(bytes: nil)
    let locks = IDLocks()
}

/// What all responders of a server have in common.
struct ResponderSettings: Sendable {
    let limits: ServerLimits
    let throttle: Throttle
    let failed: @Sendable (AnswerFailure) -> Void
}

/// Answers requests of an account.
protocol CountedAnswering: Sendable {
    /// Answers a request that was counted for its client.
    func examineCounted(_ request: ServerRequest, at now: ClockReading) -> ExaminedRequest
    /// As `SafeAnswering.answerAtOnce`, for a request that was not counted.
    func responseAtOnce(_ request: ServerRequest, at now: ClockReading) -> HTTPResponse?
}

extension SafeResponder: CountedAnswering where Store: ~Copyable {}

/// The directories of the accounts in a server's directory.
final class DirectoryStores: AccountStores {
    private let directory: ServerDirectory
    private let keepsPrevious: Bool
    private let versions: VersionRule

    init(_ directory: consuming ServerDirectory, keepsPrevious: Bool, versions: VersionRule) {
        self.directory = directory
        self.keepsPrevious = keepsPrevious
        self.versions = versions
    }

    /// An account that was written by hand has no directory. While this fails, its requests are answered with 500.
    func prepare(_ account: AccountName) -> Bool { (try? directory.makeAccount(account)) != nil }

    func responder(
        of account: AccountName, _ shared: AccountShare, _ settings: ResponderSettings,
        authorize: @escaping WriteCheck
    ) -> any CountedAnswering {
        let store = directory.store(
            of: account, keepsPrevious: keepsPrevious, versions: versions, quota: shared.quota,
            readLimit: settings.limits.maxReadBytes, locks: shared.locks, authorize: authorize)
        return SafeResponder(QuotaStore(store, quota: shared.quota), of: account, settings)
    }

    func expire(_ sweep: Sweep) throws(StoreError) -> SweepReport {
        let report = try directory.sweep(sweep)
        if let failure = report.failure { throw failure.error }
        return report
    }
}

/// Stores that expire their backups by themselves, as an object store.
struct ExternalStores<Store: MeasuredStore>: AccountStores {
    /// Makes the store of an account, which calls `authorize` before each write.
    let store: @Sendable (AccountName, _ authorize: @escaping WriteCheck) -> Store

    func prepare(_ account: AccountName) -> Bool { true }

    func responder(
        of account: AccountName, _ shared: AccountShare, _ settings: ResponderSettings,
        authorize: @escaping WriteCheck
    ) -> any CountedAnswering {
        SafeResponder(QuotaStore(store(account, authorize), quota: shared.quota), of: account, settings)
    }

    func expire(_ sweep: Sweep) -> SweepReport { .leftToStore }
}

extension SafeResponder where Store: ~Copyable {
    fileprivate convenience init(_ store: consuming Store, of account: AccountName, _ settings: ResponderSettings) {
        self.init(
            store, limits: settings.limits, below: "/" + account.text, throttle: settings.throttle,
            failed: settings.failed)
    }
}
