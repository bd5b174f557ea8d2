public import AtomicFiles
internal import HTTP
public import SafeStore
public import SafeWire
internal import Synchronization

/// A Safe server on a directory: open to everyone while the directory has no file of accounts (`ServerDirectory`), and
/// else for those who log in.
///
/// The first request that finds the file decides for as long as this value exists: a file that is removed later has no
/// accounts, and opens nothing.
public final class DirectoryResponder: SafeAnswering {
    private let open: SafeResponder<FolderStore>
    private let accounts: AccountResponder
    private let directory: ServerDirectory
    private let hasAccounts = Atomic(false)

    /// - Parameters:
    ///   - path: the directory of the server, which is prepared.
    ///   - limits: for everyone.
    ///   - keepsPrevious: retain backups that are replaced or deleted.
    ///   - throttle: counts the requests of clients, and those for each backup.
    /// - Throws: `FileError` if the directory cannot be opened.
    public init(
        at path: String, limits: ServerLimits, keepsPrevious: Bool = true, throttle: Throttle
    ) throws(FileError) {
        directory = try ServerDirectory(at: path)
        open = SafeResponder(
            try FolderStore(at: path, keepsPrevious: keepsPrevious), limits: limits, throttle: throttle)
        accounts = try AccountResponder(at: path, limits: limits, keepsPrevious: keepsPrevious, throttle: throttle)
    }

    /// Whether clients have to log in.
    /// - Throws: `FileError` if the directory cannot be read.
    public func needsLogin() throws(FileError) -> Bool {
        if hasAccounts.load(ordering: .relaxed) { return true }
        guard try directory.hasLogins() else { return false }
        hasAccounts.store(true, ordering: .relaxed)
        return true
    }

    /// Decides by the head of a request, and carries it out if it has no body. It may block for some seconds while
    /// hashes of other logins are computed.
    public func examine(_ request: ServerRequest, at now: ClockReading) -> ExaminedRequest {
        do throws(FileError) {
            return try needsLogin() ? accounts.examine(request, at: now) : open.examine(request, at: now)
        } catch {
            return .answer(HTTPResponse(.unavailable))
        }
    }

    /// Deletes what a sweep decides about all backups of the directory: those of everyone and those of accounts.
    public func expire(_ sweep: Sweep) throws(StoreError) -> SweepReport { try accounts.expire(sweep) }

    /// Lines of the file of accounts that are no accounts, from 1 on, for the operator.
    public func badAccountLines() throws(FileError) -> [Int] { try accounts.badAccountLines() }
}
