import CommandLine
import Console
import ThreemaDataBackup

extension DataBackupError: Explained {
    var failure: Failure {
        switch self {
        case .notReadable(let code): Failure(.noInput, "cannot read the file: \(systemMessage(code))")
        case .truncated:
            Failure(
                .badData, "the ZIP file is cut off, or the app has not finished it",
                hints: "the app names a file INCOMPLETE-... until it is finished; compare the length with the original"
            ).because(of: "truncated")
        case .damaged(.endRecord): Self.damaged("its end does not match its content")
        case .damaged(.directory): Self.damaged("its list of files contradicts itself")
        case .damaged(.header(let entry)): Self.damaged("the header of \(entry) contradicts the list of files")
        case .damagedEntry(let entry): Self.damaged("\(entry) is not authentic")
        case .damagedCode: Self.damaged("the backup code in it does not open with the password of the file")
        case .missing(let entry): Self.damaged("it has no \(entry)")
        case .missingColumn(let entry, let column): Self.damaged("\(entry) has no column \(column)")
        case .noVersion: Self.damaged("its version is not a number")
        case .duplicate(let entry):
            Failure(.badData, "the ZIP file contains \(entry) twice", hints: "somebody may have changed the file")
        case .chatExport:
            Failure(
                .badData, "this ZIP file is an exported chat; it contains no identity",
                hints: "a data backup is made in the app's settings for backups")
        case .otherArchive:
            Failure(
                .badData, "this ZIP file is not an Android data backup",
                hints: "a data backup contains the files settings and identity")
        case .notEncrypted(let entry):
            Failure(.badData, "\(entry) in the ZIP file is not encrypted; the app always encrypts it")
        case .otherMethod(let entry):
            Failure(.badData, "\(entry) in the ZIP file is not encrypted as the app does it (AES-256)")
        case .tooManyEntries(let limit): Failure(.tooLarge, "the ZIP file contains more than \(limit) files")
        case .directoryTooLong(let limit):
            Failure(.tooLarge, "the list of files in the ZIP file is longer than \(ByteCount.text(limit))")
        case .entryTooLong(let entry, let limit):
            Failure(.tooLarge, "\(entry) in the ZIP file is longer than \(ByteCount.text(limit))")
        case .tooManyRows(let entry, let limit):
            Failure(.tooLarge, "\(entry) in the ZIP file has more than \(limit) rows")
        case .wrongPassword: Failure(.wrongPassword, "wrong backup password")
        case .passwordHasNUL: Failure(.wrongPassword, "wrong backup password: it contains a NUL character")
        case .newerVersion(let version, let known):
            Failure(
                .badData, "the data backup has version \(version); keytool knows versions up to \(known)",
                hints: "a newer keytool may know it", "--try-newer reads what has not changed"
            ).because(of: "newer_version")
        case .code(let error): error.failure
        case .document(let error): error.failureOfFile
        case .libraryMissing(let packages):
            Failure(
                .unavailable, "reading a data backup needs libzip, which is not installed",
                hints: "apt-get install \(packages.joined(separator: ", or "))")
        case .libraryNeedsMemory: Failure(.memory, "not enough memory to load libzip", hints: OutOfMemory.advice)
        case .library(let code): Failure(.badData, "libzip cannot read the data backup: error \(code)")
        }
    }

    private static func damaged(_ words: String) -> Failure {
        Failure(.badData, "the data backup is damaged: \(words)", hints: "take another copy of the file")
    }
}
