import ArgumentParser
import Console
import Encodings
import MessengerKeeping
import Telegram

struct TelegramImport: Verb {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import Telegram accounts from the Desktop app, or from a file with keys.",
        discussion: """
            The directory tdata of Telegram Desktop is only read, with all of its accounts; quit the app first. A file \
            may be an age file with an account or a key, or a single key: 256 bytes, 276 with its SHA-1, or in one of \
            the old forms under a password. A key that is held is never replaced.
            """)

    @ParentCommand var noun: TelegramCommand
    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The directory tdata, or a file with a key or an account; - for stdin.", completion: .file())
    var source: String

    @Option(
        help: ArgumentHelp("The data centre that a single key is for; no file says it.", valueName: "number"))
    var dc: Int32?

    @Flag(help: "Only open it and show what it contains; store nothing.")
    var check = false

    @OptionGroup(title: "Telegram passcode (of a directory tdata)")
    var passcode: SecretOptions<TelegramPasscode>

    @OptionGroup var opening: TelegramFileOptions

    @OptionGroup var keystore: NewKeystoreOptions

    func run(_ session: Session) throws {
        guard let desktop = TelegramDesktop(source) else { return try importFile(session) }
        guard dc == nil else { throw UsageFailure("--dc is for single keys; \(source) says the data centre of each") }
        try importDirectory(desktop, session)
    }

    // MARK: A file

    private func importFile(_ session: Session) throws {
        let opened = try opening.open(source, session)
        let account: TelegramAccount
        switch opened.content {
        case .account(let content):
            guard dc == nil else { throw UsageFailure("--dc is for single keys; \(source) contains an account") }
            account = content
        case .key(let held):
            guard let dc else {
                guard check else {
                    throw UsageFailure(
                        "\(source) contains a single key, and does not say its data centre",
                        hint: "--dc 2, if the account is in data centre 2; Telegram has 1 to 5")
                }
                try session.output.done(
                    ["\(source) opens"] + opened.lines,
                    json: .telegram("import", [("stored", false)] + opened.members))
                return opened.sayNotes(source, session.output)
            }
            guard (1...5).contains(dc) || (10_001...10_005).contains(dc) else {
                throw UsageFailure(
                    "Telegram has no data centre \(dc)", hint: "it has 1 to 5, and 10001 to 10005 for tests")
            }
            account = try TelegramAccount(
                user: nil, mainDataCentre: dc, keys: [TelegramAccount.Key(dataCentre: dc, held: held)])
        }
        let result = try check ? nil : store([account], session)[0].get()
        try session.output.done(
            [Self.words(result, source), "form         \(opened.form.words)"] + account.lines,
            json: .telegram(
                "import",
                [("stored", .bool(result.map { $0 != .held } ?? false)), ("result", result.map { .string($0.name) })]
                    + [
                        ("form", .string(opened.form.name)), ("protected", .bool(opened.isProtected)),
                        ("weak", .bool(opened.isWeak)),
                    ] + account.members + [("marked_lost", result?.markedLost)]))
        opened.sayNotes(source, session.output)
        account.sayLost(session.output)
    }

    // MARK: A directory

    private func importDirectory(_ desktop: TelegramDesktop, _ session: Session) throws {
        guard opening.identities.paths.isEmpty, !opening.passphrase.isGiven else {
            throw UsageFailure(
                "\(source) is a directory: it has a passcode", hint: "--telegram-passcode-file, -command or -fd")
        }
        let directory = try desktop.open(passcode, session)
        let found: [Found] = directory.accounts.map { Found($0) }
        let accounts = found.compactMap { try? $0.account.get() }
        // Opened, and created, only if there is something to store.
        var stored = try (check || accounts.isEmpty ? [] : store(accounts, session)).makeIterator()
        var lines: [String] = []
        var members: [JSONValue] = []
        var firstFailure: Failure?
        for one in found {
            do {
                let account = try one.account.get()
                let result = try stored.next()?.get()
                lines += [Self.words(result, "account \(one.number)")] + account.lines.map { "  " + $0 }
                members.append(
                    .members(
                        [
                            ("account", .number(one.number)),
                            ("stored", .bool(result.map { $0 != .held } ?? false)),
                            ("result", result.map { .string($0.name) }),
                        ] + account.members
                            + [
                                ("marked_lost", result?.markedLost),
                                ("left_out", one.leftOut > 0 ? .number(one.leftOut) : nil),
                            ]))
            } catch {
                // An account that cannot be read or stored does not stop the others.
                let failure = Failure(error)
                members.append(.members([("account", .number(one.number)), ("error", failure.json)]))
                if !session.output.isJSON {
                    failure.report(about: "account \(one.number)", isVerbose: session.output.isVerbose)
                }
                firstFailure = firstFailure ?? failure
            }
        }
        if !lines.isEmpty || session.output.isJSON {
            try session.output.done(lines, json: .telegram("import", [("results", .array(members))]))
        }
        for one in found where one.leftOut > 0 {
            session.output.note(
                "account \(one.number): \(Counted.text(one.leftOut, "key")) left out, which the app was about to destroy"
            )
        }
        if directory.hasWallet {
            session.output.note("\(source) also has keys of a wallet, in wallet_keyring_data; they are not imported")
        }
        if directory.hasUnknownData {
            session.output.note("key_data has more than Telegram Desktop writes; keytool does not read it")
        }
        if let firstFailure { throw CommandFailure(failure: firstFailure, isReported: true) }
    }

    /// An account in the directory, or why it was not read.
    private struct Found {
        /// From 1, in the order of the app.
        let number: Int
        let account: Result<TelegramAccount, any Error>
        /// How many keys are not imported.
        let leftOut: Int

        init(_ found: DesktopDirectory.Account) {
            number = found.index + 1
            switch found.result {
            case .success(let opened):
                account = Result { try TelegramAccount(opened) }
                leftOut = opened.keysToDestroy.count
            case .failure(let error):
                account = .failure(error)
                leftOut = 0
            }
        }
    }

    // MARK: The keystore

    /// Stores accounts one after the other; each is whole or not there.
    private func store(
        _ accounts: [TelegramAccount], _ session: Session
    ) throws -> [Result<TelegramKeeper.Stored, any Error>] {
        let keeper = TelegramKeeper(try session.newKeystore(keystore))
        let results = accounts.map { account in Result { try keeper.store(account) } }
        let isStored = results.contains { (try? $0.get()).map { $0 != .held } ?? false }
        if isStored && !keystore.noPassphrase { session.noteProtection(isProtected: keeper.isProtected) }
        return results
    }

    /// - Parameter result: nil if nothing was to be stored.
    private static func words(_ result: TelegramKeeper.Stored?, _ subject: String) -> String {
        switch result {
        case nil: "\(subject) opens"
        case .new: "imported \(subject)"
        case .held: "already in the keystore, with the same keys: \(subject)"
        case .extended(let additions):
            "already in the keystore: \(subject); " + additions.words.joined(separator: "; ")
        }
    }
}

extension TelegramKeeper.Additions {
    /// What has changed.
    fileprivate var words: [String] {
        (dataCentres.isEmpty
            ? [] : ["added the keys for data centre " + dataCentres.map { "\($0)" }.joined(separator: ", ")])
            + lost.map { "marked the key \($0) as lost" } + (user.map { ["added the user \($0)"] } ?? [])
    }
}

extension TelegramKeeper.Stored {
    /// For programs.
    var name: String {
        switch self {
        case .new: "imported"
        case .held: "held"
        case .extended: "extended"
        }
    }

    /// For programs: the IDs of the keys that were marked as lost; nil if there are none.
    fileprivate var markedLost: JSONValue? {
        guard case .extended(let additions) = self, !additions.lost.isEmpty else { return nil }
        return .array(additions.lost.map { .string($0.description) })
    }
}
