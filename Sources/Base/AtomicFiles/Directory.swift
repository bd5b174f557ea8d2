internal import CLinux
internal import Glibc
package import SecureMemory

/// An open directory. Files in it are opened relative to its descriptor and never through a link, so replacing a part
/// of the path has no effect.
@safe
public struct Directory: ~Copyable, Sendable {
    /// Who may use a directory and its files.
    public enum Rule: Sendable {
        /// Only this account: it owns them, others have no permission, and files have a single name.
        case secret
        /// Any account that the file system permits. Only links and special files are refused.
        case shared
    }

    /// The path as it was given, for messages.
    public let path: String
    let rule: Rule
    let descriptor: Int32

    init(descriptor: Int32, path: String, rule: Rule) {
        self.descriptor = descriptor
        self.path = path
        self.rule = rule
    }

    deinit {
        close(descriptor)
    }

    /// Opens an existing directory.
    ///
    /// Under `.secret` the path may be a link only if no other account than root could redirect it (see `LinkRule`).
    public static func open(_ path: String, rule: Rule) throws(FileError) -> Directory {
        let target = rule == .secret ? try LinkRule.resolve(path) : path
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (rule == .secret ? O_NOFOLLOW : 0)
        let descriptor = unsafe keytool_openat(AT_FDCWD, target, flags, 0)
        return try adopt(descriptor, path: path, rule: rule)
    }

    /// Creates the directory and missing ones above it, with mode 0700. An existing directory is not an error.
    public static func make(_ path: String) throws(FileError) {
        // Bytes, not characters: a slash and a combining mark behind it are one character.
        let bytes = path.utf8
        var end = bytes.startIndex
        while end < bytes.endIndex {
            end = bytes[bytes.index(after: end)...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
            try makeLast(String(decoding: bytes[..<end], as: UTF8.self))
        }
    }

    /// Creates the directory with mode 0700, in one that must exist. An existing directory is not an error.
    /// - Throws: `.missing` if the directory above it is missing.
    package static func makeLast(_ path: String) throws(FileError) {
        if uninterrupted({ unsafe mkdir(path, 0o700) }) == 0 {
            try open(LinkRule.directory(above: path), rule: .shared).sync()
        } else if errno != EEXIST {
            throw FileError(.open, path: path, code: errno)
        }
    }

    /// Opens a directory in this one.
    package func directory(_ name: String) throws(FileError) -> Directory {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW
        let inner = unsafe keytool_openat(descriptor, name, flags, 0)
        return try Self.adopt(inner, path: path(of: name), rule: rule)
    }

    /// Creates a directory in this one, with mode 0700. An existing directory is not an error.
    package func makeDirectory(_ name: String) throws(FileError) {
        if uninterrupted({ unsafe mkdirat(descriptor, name, 0o700) }) == 0 { return try sync() }
        guard errno == EEXIST else { throw FileError(.open, path: path(of: name), code: errno) }
    }

    /// The names in this directory, without those that begin with a dot; in byte order if they are ASCII.
    package func names() throws(FileError) -> [String] {
        try allNames().filter { !$0.isHidden }
    }

    /// All names in this directory, hidden ones included, in byte order if they are ASCII; without the temporary names
    /// of writers.
    package func everyName() throws(FileError) -> [String] {
        try allNames().filter { !$0.isTemporary }
    }

    /// Names that are not UTF-8 are repaired: they name nothing.
    private func allNames() throws(FileError) -> [String] {
        var names: [String] = []
        try unsafe eachName { unsafe names.append(String(cString: $0)) }
        // Of ASCII names, as all of ours are, this compares the bytes, and much faster than a comparison of UTF-8 views.
        return names.sorted()
    }

    /// Lends each name, without those that begin with a dot, in no order and one at a time: a directory may have
    /// millions. Of names that come or go meanwhile, some are lent; all others are lent once.
    package func forEachName(_ body: (String) throws(FileError) -> Void) throws(FileError) {
        try unsafe eachName { name throws(FileError) in
            if unsafe name[0] != Self.dot { try body(unsafe String(cString: name)) }
        }
    }

    private static let dot = CChar(UInt8(ascii: "."))

    /// Lends each name but `.` and `..`, as its bytes with a zero behind them, in no order.
    func eachName(_ body: (UnsafePointer<CChar>) throws(FileError) -> Void) throws(FileError) {
        let duplicate = unsafe keytool_openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard duplicate >= 0, let stream = unsafe fdopendir(duplicate) else {
            throw FileError(.list, path: path, code: errno)
        }
        defer { unsafe closedir(stream) }
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                if errno == EINTR { continue }
                guard errno == 0 else { throw FileError(.list, path: path, code: errno) }
                break
            }
            try unsafe withUnsafePointer(to: &entry.pointee.d_name) { name throws(FileError) in
                try unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { name throws(FileError) in
                    if unsafe strcmp(name, ".") != 0 && strcmp(name, "..") != 0 { try unsafe body(name) }
                }
            }
        }
    }

    /// Whether the name exists, as a file or anything else.
    package func contains(_ name: String) throws(FileError) -> Bool {
        try status(name) != nil
    }

    /// Reads a whole file into guarded memory.
    /// - Parameter limit: in bytes; it is checked before memory is taken.
    package func read(_ name: String, limit: Int) throws(FileError) -> SecureBytes {
        try withFile(name, limit: limit) { (file, status) throws(FileError) in
            try SecureBytes(capacity: Int(status.st_size)) { (bytes) throws(FileError) in
                try fill(&bytes, from: file, name)
            }
        }
    }

    /// Reads a file whose content is not secret into ordinary memory.
    package func readPublic(_ name: String, limit: Int) throws(FileError) -> [UInt8] {
        try readPublic(name, limit: limit, at: time(nil)).content
    }

    /// The same, with the state of the file that has this content.
    /// - Parameter now: in seconds since the epoch.
    /// - Returns: no state if the file has changed just now: then a later change might not be seen in it.
    package func readPublic(
        _ name: String, limit: Int, at now: Int
    ) throws(FileError) -> (content: [UInt8], state: FileState?) {
        try withFile(name, limit: limit) { (file, status) throws(FileError) in
            let size = Int(status.st_size)
            var content = [UInt8](repeating: 0, count: size)
            var bytes = content.mutableSpan
            let used = try fill(&bytes, from: file, name)
            content.removeLast(size - used)
            return (content, FileState(settled: status, at: now))
        }
    }

    /// Opens a file for reading and lends its descriptor and its status.
    private func withFile<Result: ~Copyable>(
        _ name: String, limit: Int, _ body: (Int32, stat) throws(FileError) -> Result
    ) throws(FileError) -> Result {
        // O_NONBLOCK: opening a FIFO that somebody put here must not wait for a writer.
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let file = unsafe keytool_openat(descriptor, name, flags, 0)
        guard file >= 0 else { throw FileError(.open, path: path(of: name), code: errno) }
        defer { close(file) }
        let status = try Self.status(of: file, path: path(of: name))
        try check(status, name)
        guard status.st_size <= limit else { throw .tooLarge(path: path(of: name), limit: limit) }
        // Also for the copy that a caller makes if the content is not secret.
        MemoryShortage.require(2 * Int(status.st_size))
        return try body(file, status)
    }

    /// - Returns: how many bytes there were, at most as many as fit.
    private func fill(
        _ bytes: inout MutableSpan<UInt8>, from file: Int32, _ name: String
    ) throws(FileError) -> Int {
        var used = 0
        while used < bytes.count {
            let read = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
                unsafe Glibc.read(file, buffer.baseAddress! + used, buffer.count - used)
            }
            if read < 0 && errno == EINTR { continue }
            guard read >= 0 else { throw FileError(.read, path: path(of: name), code: errno) }
            if read == 0 { break }
            used += read
        }
        return used
    }

    /// Removes a file; one that is not there is fine.
    package func remove(_ name: String) throws(FileError) {
        try removeUnsynced(name)
        try sync()
    }

    /// As `remove`; until the directory is synced, a power cut may bring the file back.
    package func removeUnsynced(_ name: String) throws(FileError) {
        guard unlink(name) == 0 || errno == ENOENT else {
            throw FileError(.remove, path: path(of: name), code: errno)
        }
    }

    /// - Returns: as unlinkat(2).
    @discardableResult
    func unlink(_ name: String, flags: Int32 = 0) -> Int32 {
        uninterrupted { unsafe unlinkat(descriptor, name, flags) }
    }

    /// Removes the directories `.NAME.new` that killed writers left incomplete. The caller holds the lock under which
    /// they are made.
    /// - Parameter depth: as in `removeDirectory`.
    /// - Throws: `FileError` for the first one that cannot be removed; the others are removed.
    package func sweepDirectories(depth: Int = 1) throws(FileError) {
        var failure: FileError?
        for name in try temporaryNames() {
            do throws(FileError) { try removeDirectory(name, depth: depth) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Whether temporary names exist: of files or directories that are being made, or that killed writers left.
    package func hasTemporaryNames() throws(FileError) -> Bool { try !temporaryNames().isEmpty }

    func temporaryNames() throws(FileError) -> [String] {
        var names: [String] = []
        try unsafe eachName { name in
            // Others are not remembered: they may be millions.
            guard unsafe name[0] == Self.dot else { return }
            let text = unsafe String(cString: name)
            if text.isTemporary { names.append(text) }
        }
        return names.sorted()
    }

    /// Removes the files `.NAME.new` that killed writers left incomplete. The caller keeps other writers away.
    package func sweepFiles() throws(FileError) {
        for name in try temporaryNames() {
            // A directory of such a name is not a temporary file.
            guard (try? requirePlainFile(name)) != nil else { continue }
            try remove(name)
        }
    }

    package func path(of name: String) -> String { path + "/" + name }

    /// Syncs the directory, so that changes of its names survive a power cut.
    package func sync() throws(FileError) {
        // Some network file systems cannot sync a directory, and need not.
        guard uninterrupted({ fsync(descriptor) }) == 0 || errno == EINVAL || errno == ENOTSUP else {
            throw FileError(.sync, path: path, code: errno)
        }
    }
}

// File names are bytes: `String.hasPrefix` would take a dot with a combining mark for another character.
extension String {
    fileprivate var isHidden: Bool { utf8.first == UInt8(ascii: ".") }
    fileprivate var isTemporary: Bool { isHidden && utf8.reversed().starts(with: ".new".utf8.reversed()) }
}
