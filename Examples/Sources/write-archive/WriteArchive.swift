import Age
import AtomicFiles
import SecureMemory

/// Encrypts a file under a passphrase and for an identity, decrypts both, and shows that a file that was cut off leaves
/// nothing. The program age opens the encrypted files, too.
///
///     echo 'PASSPHRASE' | write-archive DIRECTORY NAME
@main
struct WriteArchive {
    static func main() throws {
        guard CommandLine.arguments.count == 3, let line = readLine(), !line.isEmpty else {
            return print("usage: echo 'PASSPHRASE' | write-archive DIRECTORY NAME")
        }
        let directory = try Directory.open(CommandLine.arguments[1], rule: .shared)
        let name = CommandLine.arguments[2]
        let passphrase = SecureBytes(copying: Array(line.utf8).span)
        let identity = AgeIdentity.random()

        try encrypt(name, to: "locked.age", in: directory) { try AgeWriter(passphrase: passphrase, write: $0) }
        try encrypt(name, to: "sent.age", in: directory) {
            try AgeWriter(to: [identity.recipient], isArmored: true, write: $0)
        }

        try decrypt("locked.age", to: "unlocked", in: directory, passphrase: passphrase)
        let sent = try AgeFile(read: directory.inputFile("sent.age").read)
        let key = try sent.unlock(identity)
        try sent.open(key).write(to: "received", in: directory)
        print("for \(identity.recipient)")

        let another = SecureBytes(copying: Array("another".utf8).span)
        do {
            try decrypt("locked.age", to: "nothing", in: directory, passphrase: another)
        } catch AgeError.noMatch(let recipients) {
            print("Does not open. It has: \(recipients)")
        }
    }

    /// Encrypts a file of any length. The encrypted one appears when it is complete.
    static func encrypt(
        _ name: String, to encrypted: String, in directory: borrowing Directory,
        begin: (@escaping (Span<UInt8>) throws -> Void) throws -> AgeWriter
    ) throws {
        let input = try directory.inputFile(name)
        try directory.write(encrypted, existing: .replace) { output in
            var writer = try begin { try output.write($0) }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            var count = buffer.count
            while count > 0 {
                var bytes = buffer.mutableSpan
                count = try input.read(into: &bytes)
                try writer.write(buffer.span.extracting(first: count))
            }
            try writer.finish()
        }
    }

    /// Decrypts a file of any length. The content appears when its end is authenticated.
    static func decrypt(
        _ encrypted: String, to name: String, in directory: borrowing Directory, passphrase: borrowing SecureBytes
    ) throws {
        let file = try AgeFile(read: directory.inputFile(encrypted).read)
        let key = try file.unlock(passphrase: passphrase)
        try file.open(key).write(to: name, in: directory)
    }
}
