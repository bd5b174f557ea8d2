import Foundation
import KeyWrapping
import SecureMemory
import Threema

/// Reads the identity in a copy of the Android app's files: key file, private key and settings.
///
///     echo 'PASSPHRASE' | read-app-files key.dat .crs-private_key PACKAGE_preferences.xml
@main
struct ReadAppFiles {
    static func main() throws {
        guard CommandLine.arguments.count == 4 else {
            return print("usage: echo 'PASSPHRASE' | read-app-files KEY-FILE PRIVATE-KEY SETTINGS")
        }
        let files = try CommandLine.arguments.dropFirst().map { try [UInt8](Data(contentsOf: URL(filePath: $0))) }
        let account = try AndroidAccount(settings: files[2])
        do {
            let masterKey = try masterKey(in: files[0], passphrase: readLine() ?? "")
            let sealed = files[1]
            let identity = try AndroidPreference.identity(in: sealed.span, masterKey: masterKey, of: account)
            print("\(identity.id), \(account.nickname ?? "no nickname"): \(identity.clientKey.publicKey.hex)")
        } catch KeyFileError.sealedByPhone {
            print("Only the phone opens this key file.")
        } catch AndroidFileError.notOpened, AndroidFileError.noPrivateKey, AndroidFileError.otherPrivateKey {
            // Padding is no proof: under a wrong key, one of 256 files opens to something.
            print("These files do not belong together.")
        }
    }

    static func masterKey(in file: [UInt8], passphrase: String) throws -> MasterKey {
        let wrapped = try WrappedKey(SecureBytes(copying: file.span))
        guard wrapped.protection != .none else { return try wrapped.open() }
        return try wrapped.open(passphrase: SecureBytes(copying: Array(passphrase.utf8).span))
    }
}
