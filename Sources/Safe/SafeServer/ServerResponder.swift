public import AtomicFiles
internal import HTTP
public import SafeStore
public import SafeWire
internal import Synchronization

/// A Safe server in a directory: `AccountResponder` from the moment when the directory has accounts, before that
/// `SafeResponder`, which everybody may use.
///
/// A file of accounts that vanishes opens nothing: then no login is right.
public final class ServerResponder: SafeAnswering {
    private let directory: ServerDirectory
    private let open: SafeResponder<FolderStore>
    private let closed: AccountResponder
    private let failed: @Sendable (AnswerFailure) -> Void
    private let hasAccounts = Atomic<Bool>(false)

    /// - Parameters:
    ///   - path: the directory of the server, which is prepared.
    ///   - limits: of all accounts.
    ///   - keepsPrevious: retain backups that are replaced or deleted.
    ///   - versions: which of them.
    ///   - throttle: counts the requests of clients, and those for each backup.
    ///   - failed: called for each answer of 500, 503 or 507, on the thread of the request; it must not block.
    /// - Throws: `FileError` if the directory cannot be opened.
    public init(
        at path: String, limits: ServerLimits, keepsPrevious: Bool, versions: VersionRule = VersionRule(),
        throttle: Throttle, failed: @escaping @Sendable (AnswerFailure) -> Void = { _ in }
    ) throws(FileError) {
        directory = try ServerDirectory(at: path)
        self.failed = failed
        // A write may have waited for the directory's lock while the first account came.
        let present = try ServerDirectory(at: path)
        let authorize: WriteCheck = { () throws(StoreError) in
            let isClosed: Bool
            do throws(FileError) { isClosed = try present.hasAccounts() } catch { throw .unavailable }
            if isClosed { throw .forbidden }
        }
        open = SafeResponder(
            try FolderStore(
                at: path, keepsPrevious: keepsPrevious, versions: versions, readLimit: limits.maxReadBytes,
                clock: directory.clock, authorize: authorize),
            limits: limits, throttle: throttle, failed: failed)
        closed = try AccountResponder(
            at: path, limits: limits, keepsPrevious: keepsPrevious, versions: versions, throttle: throttle,
            clock: directory.clock, failed: failed)
        guard try directory.hasAccounts() else { return }
        hasAccounts.store(true, ordering: .relaxed)
    }

    /// Marks a server with accounts that were written by hand, so that it does not become one for everybody if they are
    /// lost. Without accounts, nothing is done.
    public func markAccounts() throws(FileError) {
        if try directory.hasAccounts() { try directory.markAccounts() }
    }

    /// Decides by the head of a request, and carries it out if it has no body.
    public func examine(_ request: ServerRequest, at now: ClockReading) -> ExaminedRequest {
        do throws(FileError) {
            guard try !isClosed() else { return closed.examine(request, at: now) }
        } catch {
            return .answer(answer(error))
        }
        let examined = open.examine(request, at: now)
        guard case .upload(let upload) = examined else { return examined }
        // The body may take minutes. After the first account, nobody could reach the backup any more.
        return .upload(
            PendingUpload(maxBodyBytes: upload.maxBodyBytes) { body, now in
                do throws(FileError) {
                    return try self.isClosed() ? .challenge : upload.finish(body, at: now)
                } catch {
                    return self.answer(error)
                }
            })
    }

    /// Answers the GET of a backup that the kernel has in memory; on a server with accounts, as `AccountResponder` does.
    public func answerAtOnce(_ request: ServerRequest, at now: ClockReading) -> ImmediateAnswer? {
        if hasAccounts.load(ordering: .relaxed) { return closed.answerAtOnce(request, at: now) }
        return directory.isWithoutAccountsAtOnce() ? open.answerAtOnce(request, at: now) : nil
    }

    /// Whether the directory has, or ever had, accounts.
    private func isClosed() throws(FileError) -> Bool {
        if hasAccounts.load(ordering: .relaxed) { return true }
        guard try directory.hasAccounts() else { return false }
        hasAccounts.store(true, ordering: .relaxed)
        return true
    }

    private func answer(_ error: FileError) -> HTTPResponse {
        failed(.accounts(error))
        return HTTPResponse(.unavailable)
    }

    /// Reads the accounts, if there are any, and does what an upload does.
    /// - Parameter room: bytes that have to be free.
    public func check(room: Int) throws(StoreError) {
        if (try? isClosed()) ?? true { try closed.check() }
        try directory.check(room: room)
    }

    /// Deletes what a sweep decides about the backups of all accounts, and of those without one.
    public func expire(_ sweep: Sweep) throws(StoreError) -> SweepReport { try closed.expire(sweep) }

    /// Free bytes of the file system of the directory; nil if it does not tell.
    public func freeBytes() throws(FileError) -> Int? { try directory.freeSpace().bytes }

    /// The accounts with the number of their backups and the bytes of these together. Reads the names of all backups.
    /// - Returns: also how many accounts cannot be read.
    public func accountSizes() throws(FileError) -> (
        readable: [(name: AccountName, backups: Int, bytes: Int)], unreadable: Int
    ) {
        var readable: [(name: AccountName, backups: Int, bytes: Int)] = []
        let names = try accountNames() ?? []
        for name in names {
            do throws(FileError) {
                let size = try directory.size(of: name)
                readable.append((name, size?.backups ?? 0, size?.bytes ?? 0))
            } catch {}
        }
        return (readable, names.count - readable.count)
    }

    /// Whether the accounts of the directory are lost: nobody can log in.
    public func hasLostAccounts() throws(FileError) -> Bool { try directory.hasLostAccounts() }

    /// The names of the accounts, in the order of their file; nil for a server without accounts.
    public func accountNames() throws(FileError) -> [AccountName]? {
        guard try directory.hasAccounts() else { return nil }
        return try closed.accountNames()
    }

    /// Lines of the file of accounts that are no accounts, from 1 on, for the operator.
    public func badAccountLines() throws(FileError) -> [Int] { try closed.badAccountLines() }
}
