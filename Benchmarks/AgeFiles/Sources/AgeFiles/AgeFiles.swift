import Age
import AtomicFiles
import Glibc
import SecureMemory

/// Encrypts or decrypts a file to stdout, as age does.
///
///     AgeFiles seal RECIPIENT DIRECTORY NAME       AgeFiles lock PASSPHRASE DIRECTORY NAME
///     AgeFiles open IDENTITY DIRECTORY NAME        AgeFiles unlock PASSPHRASE DIRECTORY NAME
@main
struct AgeFiles {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5 else { fatalError("usage: AgeFiles VERB KEY DIRECTORY NAME") }
        let key = Array(arguments[2].utf8)
        let input = try Directory.open(arguments[3], rule: .shared).inputFile(arguments[4])
        switch arguments[1] {
        case "seal": try seal(input, with: AgeWriter(to: [AgeRecipient(arguments[2])], write: write))
        case "lock": try seal(input, with: AgeWriter(passphrase: SecureBytes(copying: key.span), write: write))
        case "open":
            let identity = try AgeIdentity(key.span)
            try open(input) { (file) throws(AgeError) in try file.unlock(identity) }
        case "unlock":
            let passphrase = SecureBytes(copying: key.span)
            try open(input) { (file) throws(AgeError) in try file.unlock(passphrase: passphrase) }
        default: fatalError("no such verb")
        }
    }

    static func seal(_ input: InputFile, with writer: consuming AgeWriter) throws {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var count = buffer.count
        while count > 0 {
            var bytes = buffer.mutableSpan
            count = try input.read(into: &bytes)
            try writer.write(buffer.span.extracting(first: count))
        }
        try writer.finish()
    }

    static func open(
        _ input: InputFile, _ unlock: (borrowing AgeFile) throws(AgeError) -> AgeFileKey
    ) throws {
        let file = try AgeFile(read: input.read)
        let key = try unlock(file)
        try file.open(key).readToEnd(write)
    }

    static func write(_ bytes: Span<UInt8>) {
        var done = 0
        while done < bytes.count {
            let written = bytes.withUnsafeBufferPointer { Glibc.write(1, $0.baseAddress! + done, $0.count - done) }
            guard written > 0 else { fatalError("stdout") }
            done += written
        }
    }
}
