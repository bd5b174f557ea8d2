import Encodings
import SecureMemory
import Threema

/// Writes an identity down as a backup code, reads the code as a person would type it, and opens it.
///
///     echo 'PASSWORD' | write-down
@main
struct WriteDown {
    static func main() throws {
        let password = try password()
        // A new key. An ID is given by the directory; this one is unknown to it.
        let identity = Identity(id: .random(), clientKey: .random())
        let code = try seal(identity, password: password)
        print("\(code.text)\ncheck word \(IDBackup.checkWord(of: code).text)")

        let opened = try open(code.text.lowercased(), password: password)
        print(opened.isSame(as: identity) ? "The code opens to the same identity." : "The code is of another identity.")
        do {
            _ = try open(code.text, password: SecureBytes(copying: Array("not the password".utf8).span))
        } catch IDBackupError.notOpened, IDBackupError.invalidID {
            print("Another password does not open it.")
        }
    }

    /// The 80-character code that every app reads.
    static func seal(_ identity: borrowing Identity, password: borrowing SecureBytes) throws -> GroupedCode {
        try password.withBytes { try IDBackup.seal(identity, password: $0, scheme: .pbkdf2) }
    }

    /// - Parameter text: the code as typed; case, blanks and dashes do not matter.
    static func open(_ text: String, password: borrowing SecureBytes) throws -> Identity {
        let code = try GroupedCode(parsing: text)
        return try password.withBytes { try IDBackup.open(code, password: $0) }
    }

    /// The first line of the standard input. `readLine` leaves a copy in ordinary memory; a real program reads bytes
    /// and wipes them.
    static func password() throws -> SecureBytes {
        guard let line = readLine(), line.unicodeScalars.count >= IDBackup.minimumPasswordLength else {
            throw IDBackupError.notOpened
        }
        return SecureBytes(copying: Array(line.utf8).span)
    }
}
