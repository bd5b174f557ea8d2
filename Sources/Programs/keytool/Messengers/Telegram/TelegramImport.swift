import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore
import MessengerKeeping
import Telegram

// What `keytool telegram import` does: the directory of the Desktop app has several accounts, and a file one account or
// one key.

struct TelegramImportOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The data centre that a single key is for; no file says it.", valueName: "number"))
    var dc: Int32?

    @Flag(help: "Only open it and show what it contains; store nothing.")
    var check = false

    @OptionGroup(title: "Telegram passcode (of a directory tdata)")
    var passcode: SecretOptions<TelegramPasscode>
}

extension TelegramMessenger {
    static func imported(
        _ source: String, _ options: TelegramImportOptions, _ opening: AccountFileOptions, _ session: Session,
        to open: @escaping () throws -> OpenKeystore
    ) throws -> ImportedAccount {
        guard let desktop = TelegramDesktop(source) else {
            let opened = try opening.openTelegram(source, session)
            guard let account = try account(in: opened, of: source, options) else {
                return ImportedAccount(
                    isNew: false, lines: ["\(source) opens"] + opened.lines,
                    members: [("stored", false)] + opened.members, notes: { opened.sayNotes(source, $0) })
            }
            return try imported(account, from: opened, of: source, options.check ? nil : open)
        }
        guard options.dc == nil else {
            throw UsageFailure("--dc is for single keys; \(source) says the data centre of each")
        }
        guard opening.identities.paths.isEmpty, !opening.passphrase.isGiven else {
            throw UsageFailure(
                "\(source) is a directory: it has a passcode", hint: "--telegram-passcode-file, -command or -fd")
        }
        return try imported(
            try desktop.open(options.passcode, session), of: source, session, options.check ? nil : open)
    }

    // MARK: A file

    /// - Returns: nil for a single key that is only to be shown.
    private static func account(
        in opened: TelegramFile, of source: String, _ options: TelegramImportOptions
    ) throws -> TelegramAccount? {
        switch opened.content {
        case .account(let account):
            guard options.dc == nil else {
                throw UsageFailure("--dc is for single keys; \(source) contains an account")
            }
            return account
        case .key(let held):
            guard let dc = options.dc else {
                guard options.check else {
                    throw UsageFailure(
                        "\(source) contains a single key, and does not say its data centre",
                        hint: "--dc 2, if the account is in data centre 2; Telegram has 1 to 5")
                }
                return nil
            }
            guard (1...5).contains(dc) || (10_001...10_005).contains(dc) else {
                throw UsageFailure(
                    "Telegram has no data centre \(dc)", hint: "it has 1 to 5, and 10001 to 10005 for tests")
            }
            return try TelegramAccount(
                user: nil, mainDataCentre: dc, keys: [TelegramAccount.Key(dataCentre: dc, held: held)])
        }
    }

    /// - Parameter open: opens the keystore; nil if nothing is to be stored.
    private static func imported(
        _ account: TelegramAccount, from opened: TelegramFile, of source: String, _ open: (() throws -> OpenKeystore)?
    ) throws -> ImportedAccount {
        let keeper = try open.map { TelegramKeeper(try $0()) }
        let account = try keeper?.marked(account) ?? account
        let result = try keeper?.store(account)
        return ImportedAccount(
            isNew: result.isNew,
            lines: [words(result, source), "form         \(opened.form.words)"] + account.lines,
            members: result.members + [
                ("form", .string(opened.form.name)), ("protected", .bool(opened.isProtected)),
                ("weak", .bool(opened.isWeak)),
            ] + account.members + [("marked_lost", result?.markedLost)]
        ) { output in
            opened.sayNotes(source, output)
            for warning in account.lostWords { output.warn(warning) }
        }
    }

    // MARK: A directory

    /// Stores the accounts one after the other; each is whole or not there. One that cannot be read or stored does not
    /// stop the others.
    /// - Parameter open: opens the keystore; nil if nothing is to be stored.
    private static func imported(
        _ desktop: OpenedDesktop, of source: String, _ session: Session, _ open: (() throws -> OpenKeystore)?
    ) throws -> ImportedAccount {
        let found: [Found] = desktop.directory.accounts.map { Found($0, desktop.unread) }
        // Opened, and created, only if there is something to store.
        let hasAccounts = found.contains { (try? $0.account.get()) != nil }
        let keeper = try hasAccounts ? open.map { TelegramKeeper(try $0()) } : nil
        var isNew = false
        var lines: [String] = []
        var members: [JSONValue] = []
        var firstFailure: Failure?
        for one in found {
            do {
                let read = try one.account.get()
                let account = try keeper?.marked(read) ?? read
                let result = try keeper?.store(account)
                isNew = isNew || result.isNew
                lines += [words(result, "account \(one.number)")] + account.lines.map { "  " + $0 }
                members.append(
                    .members(
                        [("account", .number(one.number))] + result.members + account.members + [
                            ("marked_lost", result?.markedLost),
                            ("left_out", one.leftOut > 0 ? .number(one.leftOut) : nil),
                        ]))
            } catch {
                let failure = Failure(error)
                members.append(.members([("account", .number(one.number)), ("error", failure.json)]))
                if !session.output.isJSON {
                    failure.report(about: "account \(one.number)", isVerbose: session.output.isVerbose)
                }
                firstFailure = firstFailure ?? failure
            }
        }
        let notes = notes(found, desktop.directory, of: source)
        return ImportedAccount(
            isNew: isNew, lines: lines, members: [("results", .array(members))],
            notes: { output in for note in notes { output.note(note) } }, failure: firstFailure)
    }

    private static func notes(_ found: [Found], _ directory: DesktopDirectory, of source: String) -> [String] {
        var notes = found.filter { $0.leftOut > 0 }.map {
            "account \($0.number): \(Counted.text($0.leftOut, "key")) left out, which the app was about to destroy"
        }
        if directory.hasWallet {
            notes.append("\(source) also has keys of a wallet, in wallet_keyring_data; they are not imported")
        }
        if directory.hasUnknownData {
            notes.append("key_data has more than Telegram Desktop writes; keytool does not read it")
        }
        return notes
    }

    /// An account in the directory, or why it was not read.
    private struct Found {
        /// From 1, in the order of the app.
        let number: Int
        let account: Result<TelegramAccount, any Error>
        /// How many keys are not imported.
        let leftOut: Int

        /// - Parameter unread: what reading a file has thrown, by its name.
        init(_ found: DesktopDirectory.Account, _ unread: [String: any Error]) {
            number = found.index + 1
            switch found.result {
            case .success(let opened):
                account = Result { try TelegramAccount(opened) }
                leftOut = opened.keysToDestroy.count
            case .failure(.unreadable(let name)):
                // The reason of the system says more.
                account = .failure(unread[name] ?? DesktopDirectoryError.unreadable(name))
                leftOut = 0
            case .failure(let error):
                account = .failure(error)
                leftOut = 0
            }
        }
    }

    /// - Parameter result: nil if nothing was to be stored.
    private static func words(_ result: Stored<TelegramKeeper.Additions>?, _ subject: String) -> String {
        result?.words(subject) { "already in the keystore: \(subject); " + $0.words.joined(separator: "; ") }
            ?? "\(subject) opens"
    }
}

extension TelegramKeeper.Additions {
    /// What has changed.
    fileprivate var words: [String] {
        (dataCentres.isEmpty
            ? [] : ["added the keys for data centre " + dataCentres.map { "\($0)" }.joined(separator: ", ")])
            + lost.map { "marked the key \($0) as lost" } + (user.map { ["added the user \($0)"] } ?? [])
            + (isBot.map { [$0 ? "added that it is a bot's" : "added that it is a user's"] } ?? [])
            + (apiID.map { ["added the API ID \($0)"] } ?? [])
    }
}

extension Stored<TelegramKeeper.Additions>? {
    /// Whether something was stored; nil if nothing was to be.
    fileprivate var isNew: Bool { map { $0 != .held } ?? false }

    fileprivate var members: [(String, JSONValue?)] {
        [("stored", .bool(isNew)), ("result", map { .string($0.name) })]
    }
}

extension Stored<TelegramKeeper.Additions> {
    /// For programs: the IDs of the keys that were marked as lost; nil if there are none.
    fileprivate var markedLost: JSONValue? {
        guard case .extended(let additions) = self, !additions.lost.isEmpty else { return nil }
        return .array(additions.lost.map { .string($0.description) })
    }
}
