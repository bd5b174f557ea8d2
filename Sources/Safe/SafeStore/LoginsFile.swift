public import AtomicFiles
internal import Synchronization

/// The file of a server's accounts. What is in it is the caller's.
///
/// Mode 0600. It may be changed at any time, also by other programs: each reading looks at the present file.
public struct LoginsFile: Sendable {
    /// Longest file that is read or written, in bytes.
    public static let maxBytes = 1024 * 1024
    /// How long an edit waits for another one.
    static let editWait = Duration.seconds(5)

    private let place: Place
    private let name: String
    /// The directory's path as it was given, and the file's name; for messages.
    public let path: String

    /// The file at a path. It may be missing; its directory must exist. If another directory comes to the path, as when
    /// a link is switched, the file in that one counts.
    /// - Throws: `FileError`; `.missing` also if the path ends in a slash.
    public init(at path: String) throws(FileError) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.last, !name.isEmpty else { throw .missing(path: path) }
        let above = parts.dropLast().joined(separator: "/")
        let directory = try SharedDirectory(parts.count == 1 ? "." : above.isEmpty ? "/" : above)
        self.init(String(name), in: directory, followingItsPath: true)
    }

    /// - Parameter follows: false for the directory of a store, which is that of the backups, whatever is at its path.
    init(_ name: String, in directory: SharedDirectory, followingItsPath follows: Bool = false) {
        place = Place(directory, follows: follows)
        self.name = name
        path = directory.directory.path(of: name)
    }

    /// Identifies a state of the file.
    public struct Version: Equatable, Sendable {
        let identity: FileIdentity
        let modified: Int64?
        let count: Int
    }

    /// The present state of the file. Read it before the content: then a change in between is seen the next time.
    /// - Returns: nil if the file does not exist.
    /// - Throws: `FileError`; `.missing` if its directory does not exist: it may come back.
    public func version() throws(FileError) -> Version? {
        let shared = try place.present()
        do throws(FileError) {
            return Version(
                identity: try shared.directory.identity(of: name),
                modified: try shared.directory.modificationTime(of: name),
                count: try shared.directory.length(of: name))
        } catch .missing {
            return nil
        }
    }

    /// The same, for a thread that must not wait.
    /// - Returns: nil also if the file would have to be waited for, or its directory looked for.
    package func versionAtOnce() -> Version? {
        guard let shared = place.fixed, shared.mayAnswerAtOnce,
            let state = shared.directory.stateAtOnce(of: name)
        else { return nil }
        return Version(identity: state.identity, modified: state.modified, count: state.count)
    }

    /// - Returns: nil if the file does not exist.
    /// - Throws: as `version()`.
    public func content() throws(FileError) -> [UInt8]? { try content(in: place.present()) }

    private func content(in shared: SharedDirectory) throws(FileError) -> [UInt8]? {
        do throws(FileError) {
            return try shared.directory.readPublic(name, limit: Self.maxBytes)
        } catch .missing {
            return nil
        }
    }

    /// Changes the file, whole or not at all, under a lock of its directory: other edits wait.
    /// - Parameter edit: makes the new content from the present one, which is empty if the file does not exist.
    /// - Throws: `FileError`, for example `.locked`, or the error of `edit`; then the file is unchanged.
    public func edit(_ edit: ([UInt8]) throws -> [UInt8]) throws { try self.edit(edit, then: {}) }

    /// As `edit`.
    /// - Parameter body: runs after the file is changed. Until it has returned, other edits wait.
    func edit(_ edit: ([UInt8]) throws -> [UInt8], then body: () throws -> Void) throws {
        let shared = try place.present()
        let lock = try shared.directory.lock(wait: Self.editWait)
        defer { withExtendedLifetime(lock) {} }
        let present = try self.content(in: shared)
        let content = try edit(present ?? [])
        // What cannot be read again would lock out everybody.
        guard content.count <= Self.maxBytes else { throw FileError.tooLarge(path: path, limit: Self.maxBytes) }
        if content != present { try shared.directory.write(name, content.span) }
        try body()
    }

    /// The lock of all edits.
    func lock(wait: Duration) throws(FileError) -> FileLock { try place.present().directory.lock(wait: wait) }
}

/// The directory of the file.
private final class Place: Sendable {
    private let opened: Mutex<SharedDirectory>
    /// Whether another one is opened if its path leads there.
    private let follows: Bool

    init(_ directory: SharedDirectory, follows: Bool) {
        opened = Mutex(directory)
        self.follows = follows
    }

    /// The directory, if it need not be looked for.
    var fixed: SharedDirectory? { follows ? nil : opened.withLock { $0 } }

    /// - Throws: `FileError`; `.missing` if nothing is at the path.
    func present() throws(FileError) -> SharedDirectory {
        let known = opened.withLock { $0 }
        guard follows, try !known.directory.isAtItsPath() else { return known }
        let other = try SharedDirectory(known.directory.path)
        opened.withLock { $0 = other }
        return other
    }
}
