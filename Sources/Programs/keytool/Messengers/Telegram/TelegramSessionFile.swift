import AtomicFiles
import Console
import Glibc
import SecureMemory
import TelegramSessions

/// A session file of Telethon or Pyrogram, which is only read. The bot that it belongs to may be running.
struct TelegramSessionFile {
    private let place: String
    private let name: String

    /// The bytes that SQLite's readers lock (os.h, `SHARED_FIRST`, `SHARED_SIZE`): nobody writes the database meanwhile, and
    /// nobody removes its log.
    private static let readLock = (start: Int64(0x4000_0002), count: Int64(510))
    /// A transaction takes milliseconds.
    private static let longestWait = 100
    private static let pause = Duration.milliseconds(50)

    /// - Returns: nil if the path is not that of an SQLite database.
    init?(_ path: String) {
        // A pipe that is opened and closed again has lost what was in it.
        guard path != "-", FileStatus(path)?.isPlainFile == true, let file = try? PlainFile(path),
            let head = try? file.head(16),
            TelegramSession.isDatabase(head.span), let real = unsafe realpath(path, nil)
        else { return nil }
        defer { unsafe free(real) }
        // As SQLite does: the files beside it are where a link leads.
        let steps = unsafe String(cString: real).split(separator: "/", omittingEmptySubsequences: false)
        place = steps.count > 2 ? steps.dropLast().joined(separator: "/") : "/"
        name = String(steps.last ?? "")
    }

    /// A session in what was read as a whole: a session text, or a database without files beside it.
    /// - Returns: nil for other content.
    /// - Throws: `TelegramSessionError`.
    static func session(in content: Span<UInt8>) throws -> TelegramSession? {
        if TelegramSession.isText(content) { return try TelegramSession(text: content) }
        guard TelegramSession.isDatabase(content) else { return nil }
        let none = SecureBytes(count: 0) { _ in }
        return try TelegramSession(
            database: SecureBytes(copying: content), log: none, journal: SecureBytes(count: 0) { _ in })
    }

    /// Reads it, as it was at one moment.
    /// - Throws: `TelegramSessionError`; `TelegramSessionFileError.inUse`; `FileError`.
    func open() throws -> TelegramSession {
        let directory = try Directory.open(place, rule: .shared)
        for _ in 0..<Self.longestWait {
            do {
                let lock = try directory.lockBytes(
                    Self.readLock.start, count: Self.readLock.count, of: name, isShared: true)
                defer { _ = lock }
                let log = try read("-wal", in: directory)
                let database = try read("", in: directory)
                let journal = try read("-journal", in: directory)
                let logAfterwards = try read("-wal", in: directory)
                // What was moved from the log to the database meanwhile is in both. What is new may be in one of them.
                let isSame = log.withBytes { log in logAfterwards.withBytes { ConstantTime.areEqual(log, $0) } }
                guard isSame else { continue }
                return try TelegramSession(database: database, log: log, journal: journal)
            } catch FileError.locked {
                Sleep.wait(Self.pause)
            }
        }
        throw TelegramSessionFileError.inUse(path: directory.path(of: name))
    }

    private func read(_ ending: String, in directory: borrowing Directory) throws(FileError) -> SecureBytes {
        do throws(FileError) {
            return try directory.read(name + ending, limit: TelegramSession.maxFileCount)
        } catch {
            guard !ending.isEmpty, case .missing = error else { throw error }
            return SecureBytes(count: 0) { _ in }
        }
    }
}

/// Why a session file was not read.
enum TelegramSessionFileError: Error {
    /// A program writes it without a pause.
    case inUse(path: String)
}
