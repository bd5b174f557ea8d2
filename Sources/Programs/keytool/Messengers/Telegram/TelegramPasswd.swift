import ArgumentParser
import CommandLine
import Console
import Encodings

struct TelegramPasswd: Verb {
    static let configuration = CommandConfiguration(
        commandName: "passwd", abstract: "Change the passphrase of a file with a key or an account.",
        discussion: """
            The file becomes an age file, whatever its form was. It is replaced at once, after the new one was opened. \
            Older copies still open with the old passphrase.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The file.", completion: .file())
    var file: String

    @OptionGroup var protection: NewAgeFileOptions<NewFilePassphrase>

    @OptionGroup var opening: AccountFileOptions

    func run(_ session: Session) throws {
        guard file != "-" else { throw UsageFailure("a file is changed at its place; stdin has none") }
        // Links and special files are refused before a passphrase is asked for, and a file that is changed meanwhile.
        let target = try ResultFile(file, mayReplace: true, outside: session.reserved)
        let opened = try opening.openTelegram(file, session)
        guard opened.isProtected else {
            throw Failure(
                .absent, "\(file) is not protected", hints: "keytool telegram protect \(ShellWord.path(file))"
            ).because(of: "not_protected")
        }
        try protection.check()
        let sealed = try protection.seal(opened.plain, .named(file), session)
        try target.write(sealed.span)
        let recipients = protection.recipients.texts.count
        try session.output.done(
            [
                recipients == 0
                    ? "the passphrase of \(file) was changed"
                    : "\(file) is encrypted for \(Counted.text(recipients, "recipient")) now"
            ] + opened.contentLines,
            json: TelegramMessenger.result(
                "passwd",
                [
                    ("file", .string(file)), ("bytes", .number(sealed.count)), ("form", "age"), ("protected", true),
                    ("previous_form", .string(opened.form.name)),
                ] + opened.contentMembers))
        session.output.hint("older copies of the file still open as before")
    }
}
