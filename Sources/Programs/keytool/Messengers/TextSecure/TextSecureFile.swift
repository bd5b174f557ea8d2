import Age
import CommandLine
import Console
import SecureMemory
import TextSecure

extension AccountFileOptions {
    /// Longest file that is read, in bytes: an armored account for a thousand recipients.
    private static var maxTextSecureCount: Int { 1024 * 1024 }

    /// Reads an age file with an account; asks for its passphrase if it needs one.
    /// - Parameter path: `-` for stdin.
    /// - Throws: `InputError`; `TextSecureFileError`; `TextSecureAccountError`; as `openAge`.
    func openTextSecure(_ path: String, _ session: Session) throws -> TextSecureAccount {
        let content = try Self.readTextSecure(path)
        guard Self.isAge(content) else { throw TextSecureFileError.notAge }
        return try Self.textSecureAccount(in: openTextSecureAge(content, named: path, session))
    }

    /// - Parameter plain: what `openTextSecureAge` has returned.
    static func textSecureAccount(in plain: borrowing SecureBytes) throws(TextSecureAccountError) -> TextSecureAccount {
        try plain.withBytes { (plain) throws(TextSecureAccountError) in
            try TextSecureAccount(decoding: plain, at: WallClock.now())
        }
    }

    /// Opens an age file with anything in it.
    /// - Parameter content: an age file, as `isAge` says.
    func openTextSecureAge(
        _ content: borrowing SecureBytes, named path: String, _ session: Session
    ) throws -> SecureBytes {
        try content.withBytes { content in
            let opened = try openAge(content, named: path, limit: TextSecureAccount.maxTextCount, session)
            return opened.plain
        }
    }

    /// The content of a file.
    /// - Parameter path: `-` for stdin.
    /// - Throws: `InputError`.
    static func readTextSecure(_ path: String) throws -> SecureBytes { try read(path, limit: maxTextSecureCount) }

    /// Whether a content begins as an age file does.
    static func isAge(_ content: borrowing SecureBytes) -> Bool { content.withBytes { AgeFile.isLikely($0) } }
}

/// Why a file was not used, beside the errors of its content.
enum TextSecureFileError: Error {
    /// It is not an age file.
    case notAge
}
