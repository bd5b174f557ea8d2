import ArgumentParser
import CommandLine
import Console
import Encodings
import SecureMemory
import TextSecure

// What `keytool textsecure verify` opens.

struct TextSecureVerifyOptions: ParsableArguments {
    @OptionGroup var opening: AccountFileOptions

    @OptionGroup(title: "Password of the client")
    var password: SecretOptions<ClientPassword>

    @OptionGroup(title: "Key of the attachment")
    var key: SecretOptions<AttachmentSecret>
}

extension TextSecureMessenger {
    static func check(_ options: TextSecureVerifyOptions, for file: String) throws {
        guard !options.key.isGiven || file != "-" else {
            throw ValidationError("an attachment is read twice: - is no file")
        }
    }

    static func verified(
        _ file: String, _ options: TextSecureVerifyOptions, _ session: Session
    ) throws -> VerifiedFile {
        if options.key.isGiven { return try attachment(file, options.key, session) }
        let content = try AccountFileOptions.readTextSecure(file)
        guard AccountFileOptions.isAge(content) else {
            return try clientStorage(content, file, options.password, session)
        }
        let plain = try options.opening.openTextSecureAge(content, named: file, session)
        // No text of an account is so short.
        guard plain.count != MasterSecret.count else {
            return verified(file, ["contains      the master secret of a client"], "master_secret", [])
        }
        let account = try AccountFileOptions.textSecureAccount(in: plain)
        return verified(file, account.lines, "account", account.members)
    }

    private static func attachment(
        _ file: String, _ key: SecretOptions<AttachmentSecret>, _ session: Session
    ) throws -> VerifiedFile {
        let blob = try AttachmentFile(file)
        var opener = try blob.check(key, session)
        // Behind the MAC, the padding may be wrong yet.
        let count = try blob.open(&opener, session) { _ in }
        return verified(
            file, ["contains      an attachment of \(ByteCount.text(count))"], "attachment", [("bytes", .number(count))]
        )
    }

    private static func clientStorage(
        _ content: borrowing SecureBytes, _ file: String, _ password: SecretOptions<ClientPassword>, _ session: Session
    ) throws -> VerifiedFile {
        guard content.count <= AndroidPreferences.maxFileCount else { throw ClientFileError.notVerifiable }
        let wrap: WrappedMasterSecret
        do {
            wrap = try WrappedMasterSecret(content.revealBytes())
        } catch ClientFileError.notClientStorage {
            throw ClientFileError.notVerifiable
        }
        _ = try wrap.open(password, of: file, session)
        return verified(
            file, ["contains      the master secret of a client", "form          \(wrap.words)"], "master_secret",
            [("form", .string(wrap.name))])
    }

    private static func verified(
        _ file: String, _ lines: [String], _ content: String, _ members: [(String, JSONValue?)]
    ) -> VerifiedFile {
        VerifiedFile(lines: ["\(file) opens"] + lines, members: [("content", .string(content))] + members)
    }
}
