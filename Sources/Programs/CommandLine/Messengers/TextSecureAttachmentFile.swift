package import Console
import Encodings
import Glibc
import SecureMemory
package import TextSecure

/// The blob of an attachment, a plain file that is read twice.
package struct AttachmentFile: ~Copyable {
    private let path: String
    private let file: PlainFile
    /// Length in bytes when it was opened.
    package let count: Int

    /// - Throws: `InputError`.
    package init(_ path: String) throws {
        self.path = path
        do throws(PlainFileError) { file = try PlainFile(path) } catch { throw Self.error(error, path) }
        count = file.count
    }

    /// Asks for the key, and checks the MAC over the whole blob.
    /// - Returns: the second pass.
    package borrowing func check(_ options: SecretOptions<AttachmentSecret>, _ session: Session) throws
        -> AttachmentOpener
    {
        let key = try SecretAsker(options, session.dialog).open(
            .named(path), isWrong: { $0 is MalformedAttachmentKey }
        ) { text in
            guard let bytes = text.withBytes(Base64.decode), let key = AttachmentKey(bytes) else {
                throw MalformedAttachmentKey()
            }
            return key
        }
        var check = try AttachmentCheck(key: key, count: Int64(count))
        try session.output.busy("checking the attachment", bytes: count) { add in
            try read(add) { piece in try check.read(piece) }
        }
        return try check.finish()
    }

    /// Decrypts the blob, which may have changed since the check.
    /// - Parameter body: is given the plaintext in pieces, and has to forget all of it if this throws.
    /// - Returns: length of the plaintext in bytes.
    package borrowing func open(
        _ opener: inout AttachmentOpener, _ session: Session, _ body: (Span<UInt8>) throws -> Void
    ) throws -> Int {
        var count = 0
        try session.output.busy("decrypting the attachment", bytes: self.count) { add in
            try read(add) { piece in
                let opened = try opener.open(piece)
                count += opened.count
                try opened.withBytes { try body($0) }
            }
        }
        let last = try opener.finish()
        count += last.count
        try last.withBytes { try body($0) }
        return count
    }

    /// Gives the first `count` bytes to `body`, in pieces; fewer if the file has become shorter.
    /// - Parameter add: is given the length of each piece that is done.
    private borrowing func read(_ add: (Int) -> Void, _ body: (Span<UInt8>) throws -> Void) throws {
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
            add(piece.count)
        }
    }

    private static func error(_ error: PlainFileError, _ path: String) -> InputError {
        switch error {
        case .notReadable(let code): .notReadable(path: path, code: code)
        case .notPlain: .notReadable(path: path, code: EINVAL)
        }
    }
}

/// The pieces in which attachments are read.
package enum AttachmentPieces {
    /// Length of one, in bytes.
    package static let count = 64 * 1024
}
