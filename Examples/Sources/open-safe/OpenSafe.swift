import Foundation
import SafeWire
import SecureMemory
import Threema
import ThreemaSafe

/// Opens a Safe backup and prints what it holds.
///
///     echo 'PASSWORD' | open-safe FILE ID
@main
struct OpenSafe {
    static func main() throws {
        guard CommandLine.arguments.count == 3, let line = readLine() else {
            return print("usage: echo 'PASSWORD' | open-safe FILE ID")
        }
        let file = try [UInt8](Data(contentsOf: URL(filePath: CommandLine.arguments[1])))
        let id = try ThreemaID(CommandLine.arguments[2])
        let password = SecureBytes(copying: Array(line.utf8).span)
        let keys = try keys(password: password, id: id)
        print("the server has it at", try location(of: keys, on: "https://safe.example.org/"))
        do {
            show(try SafeBackup.open(file.span, keys: keys), of: id)
        } catch SafeBackupError.notAuthentic {
            print("Wrong password or ID, or a damaged file.")
        }
    }

    static func show(_ backup: borrowing SafeBackup, of id: ThreemaID) {
        let document = backup.document
        print("nickname: \(document.nickname ?? "none"), contacts: \(document.contactCount)")
        print("public key of \(id): \(backup.identity(id).clientKey.publicKey.hex)")
    }

    /// Takes 64 MiB of memory and a moment.
    static func keys(password: borrowing SecureBytes, id: ThreemaID) throws -> SafeKeys {
        try password.withBytes { try SafeKeys(password: $0, id: id) }
    }

    /// Where a server has the backup of these keys.
    static func location(of keys: borrowing SafeKeys, on server: String) throws -> String {
        switch try SafeServerAddress(parsing: server) {
        case .https(let address): address.base(for: keys.backupID) + "backups/" + keys.backupID.hex
        case .directory(let path): path + "/backups/" + keys.backupID.hex
        }
    }
}
