import ArgumentParser
import CommandLine
import Console
import Encodings
import Ratchet
import SecureMemory
import TextSecure

struct TextSecureSealAttachment: Verb {
    static let configuration = CommandConfiguration(
        commandName: "seal-attachment", abstract: "Encrypt a file as an attachment, under a key of its own.",
        discussion: """
            The key goes to a new file (0600), in Base64. It belongs to this blob alone, so it never replaces another \
            one, also not with --force. No account is needed: the key travels in the message.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The file, or - for stdin.", completion: .file())
    var file: String

    @OptionGroup var written: DocumentOptions

    @Option(
        help: ArgumentHelp("Write the key to this new file (0600).", valueName: "keyfile"), completion: .file())
    var keyOut: String

    func run(_ session: Session) throws {
        let target = try written.target(outside: session.reserved)
        let keyFile = try keyFile(session)
        try ResultFile.requireDistinct([keyFile] + (target.file.map { [$0] } ?? []))
        let input = try InputFile(operand: file).pieces()
        let key = AttachmentKey()
        var text = SecureBuffer(capacity: Base64.encodedCount(AttachmentKey.count) + 1)
        key.held.bytes.withBytes { Base64.encode($0, appendingTo: &text) }
        text.append(UInt8(ascii: "\n"))
        var count: Int64 = 0
        // A key without its blob opens nothing; a blob without its key is lost.
        try text.finish().withBytes { text in
            try keyFile.write(text) {
                try target.write { blob in
                    count = try session.output.busy("encrypting the attachment", bytes: input.count) { add in
                        input.observer = add
                        return try Self.seal(input, key, to: blob)
                    }
                } finish: {
                    // What fails here would take the key away again.
                }
            }
        }
        // Both are there: a result that nobody can read takes neither away.
        if let path = target.path { try report(count, path, session) }
    }

    private func keyFile(_ session: Session) throws -> ResultFile {
        guard keyOut != "-" else { throw UsageFailure("--key-out needs a file: stdout may have the attachment") }
        do {
            return try ResultFile(keyOut, mayReplace: false, outside: session.reserved)
        } catch ResultFileError.exists(let path) {
            throw Failure(
                .exists, "\(path) already exists", hints: "name a new file: it may be the key of another blob")
        }
    }

    /// - Returns: length of the file in bytes.
    /// - Throws: `AttachmentError.tooLong`; `InputError`; what `ResultPieces.write` throws.
    private static func seal(_ input: InputPieces, _ key: AttachmentKey, to blob: ResultPieces) throws -> Int64 {
        var sealer = AttachmentSealer(key: key)
        try blob.write(sealer.beginning.span)
        var count: Int64 = 0
        var isAtEnd = false
        while !isAtEnd {
            let piece = try SecureBytes(capacity: AttachmentPieces.count) { try input.read(into: &$0) }
            isAtEnd = piece.count == 0
            count += Int64(piece.count)
            let sealed = try piece.withBytes { (piece) throws(AttachmentError) in try sealer.seal(piece) }
            try blob.write(sealed.span)
        }
        let end = sealer.finish()
        try blob.write(end.span)
        return count
    }

    private func report(_ count: Int64, _ path: String, _ session: Session) throws {
        let blobCount = AttachmentBlob.count(fileCount: count)
        try session.output.done(
            ["wrote an attachment of \(ByteCount.text(Int(blobCount))) to \(path), its key to \(keyOut)"],
            json: TextSecureMessenger.result(
                "seal-attachment",
                [
                    ("file", .string(path)), ("key_file", .string(keyOut)), ("bytes", .number(count)),
                    ("blob_bytes", .number(blobCount)),
                ]))
    }
}
