import ArgumentParser
import Console
import Encodings
import SecureMemory
import TextSecure

struct TextSecureVerify: Verb {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check that a file of TextSecure opens. Stores nothing.",
        discussion: """
            The file is an age file with an account or a master secret; a client's own file, as for import-client; or, \
            with --attachment-key-file, an attachment. A push payload is opened by keytool textsecure open-push, which \
            stores nothing, either.
            """)

    @ParentCommand var noun: TextSecureCommand
    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The file, or - for stdin.", completion: .file())
    var file: String

    @OptionGroup var opening: TextSecureFileOptions

    @OptionGroup(title: "Password of the client")
    var password: SecretOptions<ClientPassword>

    @OptionGroup(title: "Key of the attachment")
    var key: SecretOptions<AttachmentSecret>

    func validate() throws {
        guard !key.isGiven || file != "-" else { throw ValidationError("an attachment is read twice: - is no file") }
    }

    func run(_ session: Session) throws {
        if key.isGiven { return try attachment(session) }
        let content = try TextSecureFileOptions.content(file)
        guard TextSecureFileOptions.isAge(content) else { return try clientStorage(content, session) }
        let plain = try opening.plain(content, named: file, session)
        // No text of an account is so short.
        guard plain.count != MasterSecret.count else {
            return try report(["contains      the master secret of a client"], "master_secret", [], session)
        }
        let account = try TextSecureFileOptions.account(in: plain)
        try report(account.lines, "account", account.members, session)
    }

    private func attachment(_ session: Session) throws {
        let blob = try AttachmentFile(file)
        var opener = try blob.check(key, session)
        // Behind the MAC, the padding may be wrong yet.
        let count = try blob.open(&opener, session) { _ in }
        try report(
            ["contains      an attachment of \(ByteCount.text(count))"], "attachment", [("bytes", .number(count))],
            session)
    }

    private func clientStorage(_ content: borrowing SecureBytes, _ session: Session) throws {
        guard content.count <= AndroidPreferences.maxFileCount else { throw TextSecureMessageError.notVerifiable }
        let wrap: WrappedMasterSecret
        do {
            wrap = try WrappedMasterSecret(content.revealBytes())
        } catch TextSecureMessageError.notClientStorage {
            throw TextSecureMessageError.notVerifiable
        }
        _ = try wrap.open(password, of: file, session)
        try report(
            ["contains      the master secret of a client", "form          \(wrap.words)"], "master_secret",
            [("form", .string(wrap.name))], session)
    }

    private func report(
        _ lines: [String], _ content: String, _ members: [(String, JSONValue?)], _ session: Session
    ) throws {
        try session.output.done(
            ["\(file) opens"] + lines,
            json: .textSecure("verify", [("file", .string(file)), ("content", .string(content))] + members))
    }
}
