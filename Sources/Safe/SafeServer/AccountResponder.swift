public import AtomicFiles
internal import HTTP
public import SafeStore
public import SafeWire
package import SecureMemory
internal import Synchronization

/// A Safe server whose clients log in (Basic authentication, RFC 7617), each into the part that has its name:
///
///     any request without a right login      401
///     PREFIX/NAME/config, backups/<64 hex>   as `SafeResponder`, for the account NAME
///     all others                             404, as for a path that does not exist
///     any                                    429 after many wrong logins, 503
///
/// The accounts are those of the file `logins` in the server's directory, or of a file for servers whose store is no
/// directory. The file is read again whenever it has changed, so a removed account or a changed password counts from
/// the next request on. A file that is missing has no accounts; one that cannot be read is answered with 503.
public final class AccountResponder: SafeAnswering {
    /// An account with the password that it has had from some time on. Another password, and an account that was
    /// removed and added again, is another value: what has begun under the old one must not end in the backups of the
    /// new one.
    private struct Served {
        let responder: any CountedAnswering
        let hash: PasswordHash
        let shared: AccountShare
    }

    private struct Accounts {
        var version: LoginsFile.Version?
        var file = AccountFile([])
        /// Those that could not be prepared.
        var unprepared: Set<AccountName> = []
    }

    private let logins: LoginsFile
    private let stores: any AccountStores
    private let settings: ResponderSettings
    private let loginCheck: LoginCheck
    private let accounts = Mutex(Accounts())
    /// Those that have logged in. One that was removed stays, for its locks.
    private let served = Mutex<[AccountName: Served]>([:])

    /// - Parameters:
    ///   - path: the directory of the server.
    ///   - limits: of all accounts.
    ///   - keepsPrevious: retain backups that are replaced or deleted.
    ///   - versions: which of them.
    ///   - throttle: counts the requests of clients, and those for each backup.
    ///   - clock: that of another value for the same directory; nil for one of its own.
    ///   - failed: called for each answer of 500, 503 or 507, on the thread of the request; it must not block.
    /// - Throws: `FileError` if the directory cannot be opened.
    public convenience init(
        at path: String, limits: ServerLimits, keepsPrevious: Bool = true, versions: VersionRule = VersionRule(),
        throttle: Throttle, clock: StoreClock? = nil, failed: @escaping @Sendable (AnswerFailure) -> Void = { _ in }
    ) throws(FileError) {
        try self.init(
            at: path, limits: limits, keepsPrevious: keepsPrevious, versions: versions, throttle: throttle,
            key: Random.secret(LoginCheck.keyCount), clock: clock, failed: failed)
    }

    /// - Parameter key: 32 random bytes of this process.
    package init(
        at path: String, limits: ServerLimits, keepsPrevious: Bool, versions: VersionRule = VersionRule(),
        throttle: Throttle, key: consuming SecureBytes, failureRate: RequestRate? = nil, clock: StoreClock? = nil,
        failed: @escaping @Sendable (AnswerFailure) -> Void = { _ in }
    ) throws(FileError) {
        let directory = try ServerDirectory(at: path, clock: clock)
        logins = directory.logins
        stores = DirectoryStores(directory, keepsPrevious: keepsPrevious, versions: versions)
        settings = ResponderSettings(limits: limits, throttle: throttle, failed: failed)
        loginCheck = LoginCheck(key: key, failureRate: failureRate ?? LoginCheck.standardFailureRate)
    }

    /// Serves stores that expire their backups by themselves.
    /// - Parameters:
    ///   - logins: the file of accounts.
    ///   - limits: of all accounts.
    ///   - throttle: counts the requests of clients, and those for each backup.
    ///   - failed: as above.
    ///   - store: makes the store of an account, which calls `authorize` before each write. An account that was removed
    ///     and added again gets its backups back.
    public init<Store: MeasuredStore>(
        _ logins: LoginsFile, limits: ServerLimits, throttle: Throttle,
        failed: @escaping @Sendable (AnswerFailure) -> Void = { _ in },
        store: @escaping @Sendable (AccountName, _ authorize: @escaping WriteCheck) -> Store
    ) {
        self.logins = logins
        stores = ExternalStores(store: store)
        settings = ResponderSettings(limits: limits, throttle: throttle, failed: failed)
        loginCheck = LoginCheck(key: Random.secret(LoginCheck.keyCount))
    }

    /// Decides by the head of a request, and carries it out if it has no body and its login is known.
    public func examine(_ request: ServerRequest, at now: ClockReading) -> ExaminedRequest {
        if let wait = settings.throttle.wait(client: request.client, at: now.monotonic) {
            return .answer(.throttled(wait))
        }
        guard let login = BasicLogin(request.values("authorization")) else { return .answer(.challenge) }
        let file: AccountFile
        do throws(FileError) { file = try presentAccounts() } catch { return .answer(answer(error)) }
        let decision = LoginDecision()
        let answer = loginCheck.check(
            login, in: file, client: request.client, at: now.monotonic, decided: decision.decide)
        if let answer { return proceed(request, answer, at: now) }
        return .login(
            PendingLogin(decision) { answer, now in
                guard case .accepted(let account) = answer else { return self.proceed(request, answer, at: now) }
                // The file may have changed meanwhile.
                do throws(FileError) {
                    let present = try self.presentAccounts()[account.name]
                    guard let present, present.hash == account.hash else { return .answer(.challenge) }
                    return self.proceed(request, .accepted(present), at: now)
                } catch {
                    return .answer(self.answer(error))
                }
            })
    }

    /// Answers the GET of a backup that the kernel has in memory, if exactly this login was right from this address
    /// lately, and if the kernel has in memory that the file of accounts has not changed.
    public func answerAtOnce(_ request: ServerRequest, at now: ClockReading) -> ImmediateAnswer? {
        guard let header = request.onlyValue("authorization"), let version = logins.versionAtOnce(),
            let file = accounts.withLock({ $0.version == version ? $0.file : nil }),
            let account = loginCheck.recall(header, in: file, client: request.client, at: now.monotonic),
            let response = responder(of: account).responseAtOnce(request, at: now)
        else { return nil }
        return ImmediateAnswer(response, account: account.name)
    }

    private func proceed(
        _ request: ServerRequest, _ answer: LoginCheck.Answer, at now: ClockReading
    ) -> ExaminedRequest {
        switch answer {
        case .wrong: return .answer(.challenge)
        case .throttled(let wait): return .answer(.throttled(wait))
        case .busy:
            settings.failed(.hashes)
            return .answer(HTTPResponse(.busy))
        case .accepted(let account):
            if let header = request.onlyValue("authorization") {
                loginCheck.remember(header, of: account, client: request.client)
            }
            prepareAgain(account.name)
            let examined = responder(of: account).examineCounted(request, at: now)
            guard case .upload(let upload) = examined else { return .accepted(account.name, examined) }
            // The body may take minutes.
            let later = PendingUpload(maxBodyBytes: upload.maxBodyBytes) { body, now in
                do throws(FileError) {
                    return try self.isPresent(account) ? upload.finish(body, at: now) : .challenge
                } catch {
                    return self.answer(error)
                }
            }
            return .accepted(account.name, .upload(later))
        }
    }

    /// Whether the file has this account with this password.
    private func isPresent(_ account: Account) throws(FileError) -> Bool {
        try presentAccounts()[account.name]?.hash == account.hash
    }

    /// The same for a write that holds the lock of its directory.
    private func authorize(_ account: Account) throws(StoreError) {
        let isPresent: Bool
        do throws(FileError) { isPresent = try self.isPresent(account) } catch { throw .unavailable }
        guard isPresent else { throw .forbidden }
    }

    /// Reads the accounts.
    /// - Throws: `StoreError.failed` if that fails, or if there is no file of accounts: then nobody can log in.
    public func check() throws(StoreError) {
        let isMissing: Bool
        do throws(FileError) {
            isMissing = try logins.version() == nil
            _ = try presentAccounts()
        } catch {
            throw .failed(reason: "the accounts cannot be read")
        }
        if isMissing { throw .failed(reason: "the file of accounts is missing") }
    }

    /// Deletes what a sweep decides about the backups of all accounts, and of those that were removed.
    public func expire(_ sweep: Sweep) throws(StoreError) -> SweepReport { try stores.expire(sweep) }

    /// The names of the accounts, in the order of the file.
    public func accountNames() throws(FileError) -> [AccountName] { try presentAccounts().accounts.map(\.name) }

    /// Lines of the file that are no accounts, from 1 on, for the operator.
    public func badAccountLines() throws(FileError) -> [Int] { try presentAccounts().badLines }

    private func answer(_ error: FileError) -> HTTPResponse {
        settings.failed(.accounts(error))
        return HTTPResponse(.unavailable)
    }

    private func presentAccounts() throws(FileError) -> AccountFile {
        let version = try logins.version()
        if let known = accounts.withLock({ $0.version == version ? $0.file : nil }) { return known }
        // Two threads may both read it; both read at least this version.
        let file = AccountFile(try logins.content() ?? [])
        accounts.withLock { $0 = Accounts(version: version, file: file) }
        loginCheck.forget(except: file)
        let unprepared = Set(file.accounts.map(\.name).filter { !stores.prepare($0) })
        accounts.withLock { if $0.version == version { $0.unprepared = unprepared } }
        return file
    }

    /// Only the requests of an account that could not be prepared try it again, and no others wait for that.
    private func prepareAgain(_ account: AccountName) {
        guard accounts.withLock({ $0.unprepared.contains(account) }), stores.prepare(account) else { return }
        accounts.withLock { _ = $0.unprepared.remove(account) }
    }

    private func responder(of account: Account) -> any CountedAnswering {
        served.withLock { served in
            let known = served[account.name]
            let shared = known?.shared ?? AccountShare()
            shared.quota.bytes = account.quota
            if let known, known.hash == account.hash { return known.responder }
            let responder = stores.responder(of: account.name, shared, settings) {
                [weak self] () throws(StoreError) in
                guard let self else { throw .unavailable }
                try self.authorize(account)
            }
            served[account.name] = Served(responder: responder, hash: account.hash, shared: shared)
            return responder
        }
    }
}
