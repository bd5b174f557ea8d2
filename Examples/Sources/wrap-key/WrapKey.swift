import KeyWrapping
import SecureMemory

/// Makes a key, protects it by a passphrase, and opens the file again.
///
///     echo 'PASSPHRASE' | wrap-key
@main
struct WrapKey {
    static func main() throws {
        guard let line = readLine(), line.unicodeScalars.count >= WrappedKey.minimumPassphraseLength else {
            return print("usage: echo 'PASSPHRASE' | wrap-key")
        }
        let passphrase = SecureBytes(copying: Array(line.utf8).span)
        let key = MasterKey.random()
        let file = try protect(key, by: passphrase)
        print("a file of \(file.count) bytes")
        print(try open(file, passphrase) == key ? "It opens to the same key." : "It opens to another key.")
        do {
            _ = try open(file, SecureBytes(copying: Array("another".utf8).span))
        } catch KeyFileError.notOpened {
            print("Another passphrase does not open it.")
        }
    }

    /// - Returns: the bytes to write to a file.
    static func protect(_ key: borrowing MasterKey, by passphrase: borrowing SecureBytes) throws -> SecureBytes {
        let wrapped = try WrappedKey.protected(key, by: passphrase, .argon2id)
        return wrapped.file.withBytes { SecureBytes(copying: $0) }
    }

    static func open(_ file: borrowing SecureBytes, _ passphrase: borrowing SecureBytes) throws -> MasterKey {
        let wrapped = try WrappedKey(file.withBytes { SecureBytes(copying: $0) })
        if case .argon2id(let cost) = wrapped.protection {
            print("needs \(cost.memoryKiB / 1024) MiB and \(cost.iterations) passes")
        }
        return try wrapped.open(passphrase: passphrase)
    }
}
