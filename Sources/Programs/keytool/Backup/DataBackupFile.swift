import CommandLine
import Console
import SecureMemory
import Threema
import ThreemaDataBackup
import ThreemaKeeping

/// A data backup of the Android app that the user named, with its directory read.
struct DataBackupFile {
    private let backup: DataBackup

    /// - Returns: nil if the named file is not a ZIP file, or if no file was named.
    /// - Throws: `DataBackupError`; `UsageFailure` for options that only fit a code.
    init?(_ options: CodeOptions, _ session: Session) throws {
        guard options.qrImage == nil, let path = options.file, path != "-", let file = try? PlainFile(path),
            let head = try? file.head(4), InputFile.isZIP(head) || head == [0x50, 0x4b, 5, 6]
        else { return nil }
        guard options.expectCheck == nil else {
            throw UsageFailure(
                "--expect-check is for backup codes; a data backup has no check word",
                hint: "--expect-id and --expect-public-key work")
        }
        let count = file.count
        let open = OpenFile(file)
        backup = try DataBackup(
            ArchiveSource(count: count) { (offset, count) throws(DataBackupError) in try open.read(offset, count) })
    }

    /// A file in a closure, which cannot capture a noncopyable value.
    private final class OpenFile {
        private let file: PlainFile

        init(_ file: consuming PlainFile) { self.file = file }

        func read(_ offset: Int, _ count: Int) throws(DataBackupError) -> [UInt8] {
            do throws(PlainFileError) { return try file.read(offset, count) } catch {
                switch error {
                case .notReadable(let code): throw .notReadable(code: code)
                case .notPlain: throw .truncated
                }
            }
        }
    }

    /// Asks for the password, and reads the backup; a typed password has three tries.
    func open(_ options: CodeOptions, _ session: Session) throws -> ReadDataBackup {
        let read = try SecretAsker(options.password, session.dialog).open(
            .of("this data backup"), isWrong: { $0 is UsageFailure || $0 as? DataBackupError == .wrongPassword }
        ) { password in
            if let count = password.characterCount, count < IDBackup.minimumOpeningPasswordLength {
                throw UsageFailure("a backup password has at least \(IDBackup.minimumOpeningPasswordLength) characters")
            }
            return try session.output.busy("reading the data backup", bytes: backup.tableBytes) { add in
                try backup.open(password: password, isTryingNewer: options.tryNewer, noting: add)
            }
        }
        try options.expectations.check(read.identity)
        return ReadDataBackup(backup: read, contents: backup.contents)
    }
}
