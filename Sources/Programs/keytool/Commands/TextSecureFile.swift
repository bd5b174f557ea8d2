import Age
import ArgumentParser
import Console
import SecureMemory
import TextSecure

/// How an age file with an account is opened.
struct TextSecureFileOptions: ParsableArguments {
    @OptionGroup(title: "Passphrase of the file")
    var passphrase: SecretOptions<FilePassphrase>

    @OptionGroup var identities: AgeIdentityOptions

    /// Longest file that is read, in bytes: an armored account for a thousand recipients.
    private static let maxCount = 1024 * 1024

    /// Reads an account; asks for the passphrase of its file if it needs one.
    /// - Parameter path: `-` for stdin.
    /// - Throws: as `plain`; `TextSecureAccountError`.
    func open(_ path: String, _ session: Session) throws -> TextSecureAccount {
        try Self.account(in: plain(path, session))
    }

    /// - Parameter plain: what `plain` has returned.
    static func account(in plain: borrowing SecureBytes) throws(TextSecureAccountError) -> TextSecureAccount {
        try plain.withBytes { (plain) throws(TextSecureAccountError) in
            try TextSecureAccount(decoding: plain, at: WallClock.now())
        }
    }

    /// Opens an age file with anything in it.
    /// - Throws: `InputError`; `TextSecureFileError`; `AgeError`; what `SecretAsker.open` throws.
    private func plain(_ path: String, _ session: Session) throws -> SecureBytes {
        let content = try Self.content(path)
        guard Self.isAge(content) else { throw TextSecureFileError.notAge }
        return try plain(content, named: path, session)
    }

    /// - Parameter content: an age file, as `isAge` says.
    /// - Throws: `AgeError`; what `SecretAsker.open` throws.
    func plain(_ content: borrowing SecureBytes, named path: String, _ session: Session) throws -> SecureBytes {
        // An encrypted file is not secret.
        let file = try AgeFile(content.revealBytes())
        let key = try identities.unlock(file, named: path, or: passphrase, session)
        return try file.open(key).readAll(limit: TextSecureAccount.maxTextCount)
    }

    /// The content of a file.
    /// - Parameter path: `-` for stdin.
    /// - Throws: `InputError`.
    static func content(_ path: String) throws -> SecureBytes {
        let input = path == "-" ? InputFile.standardInput : InputFile(path: path)
        return try input.readGuarded(limit: maxCount)
    }

    /// Whether a content begins as an age file does.
    static func isAge(_ content: borrowing SecureBytes) -> Bool { content.withBytes { AgeFile.isLikely($0) } }
}

/// Why a file was not used, beside the errors of its content.
enum TextSecureFileError: Error {
    /// It is not an age file.
    case notAge
}
