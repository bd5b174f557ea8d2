import ArgumentParser
import Console
import Encodings
import Glibc
import SecureMemory
import TextSecure

struct TextSecureOpenAttachment: Verb {
    static let configuration = CommandConfiguration(
        commandName: "open-attachment", abstract: "Decrypt an attachment with its key.",
        discussion: """
            The key has 64 bytes, 88 characters of Base64, as seal-attachment writes it. The blob is read twice: first \
            all of it is authenticated, then it is decrypted. A blob that was changed leaves no file.
            """)

    @ParentCommand var noun: TextSecureCommand
    @OptionGroup var globals: GlobalOptions

    @Argument(help: ArgumentHelp("The encrypted attachment: a file, no pipe.", valueName: "blob"), completion: .file())
    var blob: String

    @OptionGroup var written: DocumentOptions

    @OptionGroup(title: "Key of the attachment")
    var key: SecretOptions<AttachmentSecret>

    func run(_ session: Session) throws {
        let target = try written.target(outside: session.reserved)
        let blob = try Blob(blob)
        let key = try SecretAsker(self.key, session.dialog).open(
            .named(self.blob), isWrong: { $0 as? TextSecureMessageError == .malformedAttachmentKey }
        ) { text in
            guard let bytes = text.withBytes(Base64.decode), let key = AttachmentKey(bytes) else {
                throw TextSecureMessageError.malformedAttachmentKey
            }
            return key
        }
        var check = try AttachmentCheck(key: key, count: Int64(blob.count))
        try session.output.busy("checking the attachment") {
            try blob.read { piece in try check.read(piece) }
        }
        var opener = try check.finish()
        var count = 0
        try target.write { file in
            try blob.read { piece in
                let opened = try opener.open(piece)
                count += opened.count
                try opened.withBytes { try file.write($0) }
            }
            // The blob may have changed since the check.
            let last = try opener.finish()
            count += last.count
            try last.withBytes { try file.write($0) }
        } finish: {
            guard let path = target.path else { return }
            try session.output.done(
                ["wrote \(ByteCount.text(count)) to \(path)"],
                json: .textSecure("open-attachment", [("file", .string(path)), ("bytes", .number(count))]))
        }
    }

    /// A plain file that is read twice.
    private struct Blob: ~Copyable {
        private let path: String
        private let file: PlainFile
        /// Length in bytes when it was opened.
        let count: Int

        /// - Throws: `InputError`.
        init(_ path: String) throws {
            self.path = path
            do throws(PlainFileError) { file = try PlainFile(path) } catch { throw Self.error(error, path) }
            count = file.count
        }

        /// Gives the first `count` bytes to `body`, in pieces; fewer if the file has become shorter.
        borrowing func read(_ body: (Span<UInt8>) throws -> Void) throws {
            var offset = 0
            while offset < count {
                let piece: [UInt8]
                do throws(PlainFileError) {
                    piece = try file.read(offset, min(AttachmentPieces.count, count - offset))
                } catch {
                    throw Self.error(error, path)
                }
                guard !piece.isEmpty else { return }
                try body(piece.span)
                offset += piece.count
            }
        }

        private static func error(_ error: PlainFileError, _ path: String) -> InputError {
            switch error {
            case .notReadable(let code): .notReadable(path: path, code: code)
            case .notPlain: .notReadable(path: path, code: EINVAL)
            }
        }
    }
}
