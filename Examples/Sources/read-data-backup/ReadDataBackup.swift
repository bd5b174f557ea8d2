import Foundation
import SecureMemory
import Threema
import ThreemaDataBackup
import ThreemaSafe

/// Prints whose data backup a file is, and its contacts.
///
///     echo 'PASSWORD' | read-data-backup FILE
@main
struct ReadDataBackup {
    static func main() throws {
        guard CommandLine.arguments.count == 2, let line = readLine() else {
            return print("usage: echo 'PASSWORD' | read-data-backup FILE")
        }
        let file = try [UInt8](Data(contentsOf: URL(filePath: CommandLine.arguments[1])))
        let password = SecureBytes(copying: Array(line.utf8).span)
        do {
            for contact in try contacts(in: file, password: password) { print(contact.identity, contact.displayName) }
        } catch DataBackupError.wrongPassword {
            print("Wrong password.")
        }
    }

    /// - Parameter file: the whole ZIP file. For a large one, use `ArchiveSource.init(count:read:)`.
    static func contacts(in file: [UInt8], password: borrowing SecureBytes) throws -> [SafeContact] {
        let backup = try DataBackup(ArchiveSource(file))
        print(backup.contents[.conversation]?.entries ?? 0, "conversations")
        let opened = try backup.open(password: password)
        return opened.document.contacts
    }
}
