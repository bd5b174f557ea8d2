import AtomicFiles
import CommandLine
import Console
import SecureMemory
import Telegram

/// The Desktop app's directory `tdata`, which is only read.
struct TelegramDesktop {
    let path: String

    /// - Returns: nil if the path is not a directory.
    init?(_ path: String) {
        guard (try? Directory.open(path, rule: .shared)) != nil else { return nil }
        self.path = path
    }

    /// Opens the accounts. Without a passcode in the app, nothing is asked for; a typed passcode has three tries.
    /// - Throws: `DesktopDirectoryError`; `FileError` for the file with the local key; what `SecretAsker.open` throws.
    func open(_ passcode: SecretOptions<TelegramPasscode>, _ session: Session) throws -> OpenedDesktop {
        var unread: [String: any Error] = [:]
        func readOrNote(_ name: String) throws -> DesktopDirectory.File? {
            do throws(FileError) { return try read(name) } catch {
                unread[name] = error
                throw error
            }
        }
        let directory: DesktopDirectory
        do {
            // An empty passcode costs the app nothing, and keytool neither.
            directory = try DesktopDirectory(passcode: SecureBytes(count: 0) { _ in }, read: readOrNote)
        } catch DesktopDirectoryError.wrongPasscode {
            directory = try SecretAsker(passcode, session.dialog).open(
                .of(path), isWrong: { $0 as? DesktopDirectoryError == .wrongPasscode }
            ) { passcode in
                try session.output.busy("deriving the key of the passcode") {
                    try DesktopDirectory(passcode: passcode, read: readOrNote)
                }
            }
        } catch DesktopDirectoryError.missing(let name) {
            throw TelegramDesktopError.noKeyFile(
                path: path, name: name, isAbove: TelegramDesktop(path + "/tdata") != nil)
        }
        return OpenedDesktop(directory: directory, unread: unread)
    }

    /// - Returns: nil if there is no file of this name.
    private func read(_ name: String) throws(FileError) -> DesktopDirectory.File? {
        let steps = name.split(separator: "/").map(String.init)
        do throws(FileError) {
            let directory = try Directory.open(path, rule: .shared)
            guard steps.count == 2 else { return try Self.read(name, in: directory) }
            return try Self.read(steps[1], in: directory.directory(steps[0]))
        } catch {
            if case .missing = error { return nil }
            // A file where an older app has a directory.
            if case .wrongKind = error, steps.count == 2 { return nil }
            throw error
        }
    }

    private static func read(
        _ name: String, in directory: borrowing Directory
    ) throws(FileError) -> DesktopDirectory.File? {
        let changed = try directory.modificationTime(of: name) ?? 0
        do throws(FileError) {
            let bytes = try directory.readPublic(name, limit: DesktopFile.maxCount)
            return DesktopDirectory.File(bytes: bytes, changed: changed)
        } catch {
            // The room says that it is too long, and of which account it is.
            guard case .tooLarge = error else { throw error }
            let tooLong = [UInt8](repeating: 0, count: DesktopFile.maxCount + 1)
            return DesktopDirectory.File(bytes: tooLong, changed: changed)
        }
    }
}

/// The accounts of a directory, and why files of it were not read.
struct OpenedDesktop {
    let directory: DesktopDirectory
    /// What reading a file has thrown, by its name.
    let unread: [String: any Error]
}

/// Why a directory was not read.
enum TelegramDesktopError: Error {
    /// It is not `tdata`: it has no file with keys. `isAbove`: it contains a directory of that name.
    case noKeyFile(path: String, name: String, isAbove: Bool)
}
