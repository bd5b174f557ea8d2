import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore
import MessengerKeeping
import SecureMemory
import Telegram

extension TelegramMessenger: AccountMessenger {
    typealias Root = Keytool

    static let nounWords = NounWords(
        abstract: "Import, protect and export the keys of Telegram accounts.",
        commonNames: [
            ("add load read", "telegram import"), ("ls", "telegram list"),
            ("cat get info print view", "telegram show"), ("encrypt", "telegram protect"),
            ("change password passphrase rewrap", "telegram passwd"), ("decrypt", "telegram unprotect"),
            ("check test", "telegram verify"), ("backup save write", "telegram export"),
            ("lost revoke", "telegram mark-lost"), ("delete remove rm", "id remove"),
        ],
        inLaboratory: ["open-packet", "seal-packet"])

    static var verbs: [any ParsableCommand.Type] {
        [
            AccountImport<Self>.self, AccountList<Self>.self, AccountShow<Self>.self, TelegramProtect.self,
            TelegramPasswd.self, TelegramUnprotect.self, AccountVerify<Self>.self, AccountExport<Self>.self,
            TelegramMarkLost.self,
        ]
    }

    static let help = AccountHelp(
        show: (
            "Show a Telegram account: user, data centres and the IDs of its keys.",
            "A key itself is shown only with --reveal-private-key. Anyone who has it can act as the account."
        ),
        imported: (
            "Import Telegram accounts from the Desktop app, from a bot's session, or from a file with keys.",
            """
            The directory tdata of Telegram Desktop is only read, with all of its accounts; quit the app first. So is the \
            session of Telethon or Pyrogram, a file or a text; the bot may be running. A text can be typed, too, for -. A file \
            may also be an age file with an account or a key, or a single key: 256 bytes, 276 with its SHA-1, or in one of \
            the old forms under a password. A key that is held is never replaced.
            """
        ),
        source: ("source", "The directory tdata, or a file with a session, a key or an account; - for stdin."),
        exported: (
            "Export a Telegram account as an age file, or as a session of Telethon or Pyrogram.",
            """
            The age file contains all keys of the account, with their marks. The program age opens it, too. keytool \
            telegram import reads it again. A session has the key for the account's data centre, without encryption: \
            it is for a bot that moves. Two programs must not use one key.
            """
        ),
        verified: (
            "Check that a file with a key or an account opens. Stores nothing.",
            """
            The file may have any form that keytool telegram import reads. A file of 256 bytes shows no damage: \
            compare the ID of its key.
            """
        ))

    static func summary(of id: KeyID, in keeper: TelegramKeeper) throws -> MessengerSummary {
        let account = try keeper.account(id)
        // The members begin with the ID, which is told for every messenger.
        return MessengerSummary(
            line: account.facts, lines: account.lines, members: Array(account.members.dropFirst()))
    }

    static func show(
        _ id: KeyID, _ options: TelegramShowOptions, in keeper: TelegramKeeper, _ output: Output
    ) throws {
        guard options.revealPrivateKey else { return try showSummary(of: id, in: keeper, output) }
        let account = try keeper.account(id)
        for warning in account.lostWords { output.warn(warning) }
        let marks = SecretMarks()
        let keys = account.keys.enumerated().map { number, key in
            JSONValue.members(key.members + [("private_key", .string(marks[number]))])
        }
        try output.reveal(
            account.lines
                + account.keys.enumerated().map { number, key in "private key  \(key.id) \(marks[number])" },
            json: result("show", account.members.map { $0.0 == "keys" ? ("keys", .array(keys)) : $0 }),
            marks, secrets: account.keys.count
        ) { number, text in
            account.keys[number].held.key.bytes.withBytes { Base64.encode($0, appendingTo: &text) }
        }
    }

    static func exported(
        _ id: KeyID, _ options: TelegramExportOptions, in keeper: TelegramKeeper, by sealer: AccountSealer
    ) throws -> ExportedAccount {
        let account = try keeper.account(id)
        if let session = try session(of: account, options.format) {
            return exportedSession(session, of: account, options.format)
        }
        return ExportedAccount(
            sealed: try sealer.age(account.encoded()), words: "\(id) with \(Counted.text(account.keys.count, "key"))",
            members: account.members, warnings: account.lostWords)
    }

    static func verified(
        _ file: String, _ options: AccountFileOptions, _ session: Session
    ) throws -> VerifiedFile {
        let opened = try options.openTelegram(file, session)
        return VerifiedFile(lines: ["\(file) opens"] + opened.lines, members: opened.members) { output in
            opened.sayNotes(file, output)
        }
    }

    static let takenBack: String? =
        "a key that was marked as lost since then is not marked any more"

    static var archived: ArchivedMessenger {
        // The ID is a digest of the keys, so there is no public key to compare.
        ArchivedMessenger(name) { records throws(RecordProblem) in
            try TelegramKeeper.check(records)
            return nil
        }
    }

    static let readme = """
        A TELEGRAM ACCOUNT, telegram/ID
          account         JSON: for each data centre ("dc") the authorization key, 256
                          bytes in Base64
        """
}

struct TelegramShowOptions: ParsableArguments {
    @Flag(help: "Also print the keys themselves, in Base64.")
    var revealPrivateKey = false
}
