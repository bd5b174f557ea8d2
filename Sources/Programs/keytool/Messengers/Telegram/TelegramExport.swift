import ArgumentParser
import CommandLine
import Console
import Encodings
import SecureMemory
import Telegram
import TelegramSessions

struct TelegramExportOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "age; or telethon, pyrogram, telethon-text or pyrogram-text, for a bot that moves.", valueName: "format"))
    var format = TelegramExportFormat.age

    @Flag(help: "Write the key without encryption, for a format other than age.")
    var revealPrivateKey = false
}

/// What `telegram export` writes: an age file, or a session of one of the libraries.
enum TelegramExportFormat: String, CaseIterable, ExpressibleByArgument {
    case age, telethon, pyrogram
    case telethonText = "telethon-text"
    case pyrogramText = "pyrogram-text"
}

extension TelegramMessenger {
    static func check(_ options: TelegramExportOptions, with protection: NewAgeFileOptions<FilePassphrase>) throws {
        guard options.format != .age else {
            guard !options.revealPrivateKey else {
                throw ValidationError("an age file is encrypted: --reveal-private-key is for the other formats")
            }
            return
        }
        guard options.revealPrivateKey else {
            throw ValidationError(
                "a session is not encrypted: --format \(options.format.rawValue) requires --reveal-private-key")
        }
        guard protection.recipients.texts.isEmpty, !protection.passphrase.isGiven, !protection.weakOk else {
            throw ValidationError(
                "--format \(options.format.rawValue) is not encrypted: it takes no passphrase or recipient")
        }
    }

    /// - Returns: nil for `.age`, which is not a session.
    static func session(of account: TelegramAccount, _ format: TelegramExportFormat) throws -> SecureBytes? {
        switch format {
        case .age: nil
        case .telethon: try account.telethonFile()
        case .telethonText: try account.telethonText()
        case .pyrogram: try account.pyrogramFile()
        case .pyrogramText: try account.pyrogramText()
        }
    }

    static func exportedSession(
        _ file: consuming SecureBytes, of account: TelegramAccount, _ format: TelegramExportFormat
    ) -> ExportedAccount {
        var warnings = [
            "anyone who has the file is logged in, without a code or a password",
            "two clients with one key: stop the program that has used it before the other one starts; Telegram ends a "
                + "session that is used from two addresses",
        ]
        if account.keys.count > 1 {
            warnings.append("the keys for other data centres than \(account.mainDataCentre) are not in the file")
        }
        if account.isBot == nil, format == .pyrogram || format == .pyrogramText {
            warnings.append("it is not known whether the account is a bot's: the file says that it is a user's")
        }
        return ExportedAccount(
            file: file, words: "the key of \(account.id), not protected,",
            members: [("form", .string(format.rawValue))] + account.members,
            warnings: warnings + account.lostWords)
    }
}
