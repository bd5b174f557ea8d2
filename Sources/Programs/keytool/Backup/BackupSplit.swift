import ArgumentParser
import CommandLine
import Console
import Encodings
import SecureMemory
import Shares
import Threema
import ThreemaKeeping

struct BackupSplit: Verb {
    static let configuration = CommandConfiguration(
        commandName: "split", abstract: "Share the private key among people, of whom some together restore it.",
        discussion: """
            Each share is a list of 33 words (SLIP-39) on a page of its own. Fewer shares than needed tell nothing of the \
            key; enough of them are the key, without a password. Give each to another person. Shares of an earlier split \
            stay valid.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: IdentityArgument

    @Option(help: ArgumentHelp("How many shares are needed, and how many are made: 2/2 to 16/16.", valueName: "m/n"))
    var shares: ShareNumbers

    @Option(
        help: ArgumentHelp(
            "Write a page to print (PDF, mode 0600) for each share to this directory, which is made if it is missing.",
            valueName: "dir"),
        completion: .directory)
    var sheet: String?

    @OptionGroup var language: PageLanguageOption

    @Flag(help: "Print the words of all shares.")
    var revealShares = false

    @OptionGroup var keystore: KeystoreOptions

    func validate() throws {
        guard sheet != nil || revealShares else {
            throw ValidationError("use --sheet DIR or --reveal-shares: the shares have to go somewhere")
        }
        try language.require(sheet != nil, option: "--sheet")
    }

    func run(_ session: Session) throws {
        let keeper = try session.keeper(keystore.passphrase)
        let id = try session.identity(named.id, in: keeper)
        // Refuse before the key is opened, not after.
        let reserved = session.reserved
        guard let sheet else { return try split(id, nil, keeper, session) }
        let directory = try ShareDirectory(sheet, outside: reserved)
        do {
            try split(id, try directory.files(shares.count, of: id, outside: reserved), keeper, session)
        } catch {
            directory.takeBack()
            throw error
        }
    }

    /// - Parameter files: a file for each share; nil if no pages are wanted.
    private func split(_ id: ThreemaID, _ files: [ResultFile]?, _ keeper: ThreemaKeeper, _ session: Session) throws {
        let (made, key) = try session.output.busy("sharing the key") { try keeper.shares.split(id, by: shares.plan) }
        let day = WallClock.now().day
        try write(files ?? [], of: made[...]) { share in
            ShareSheet(
                id: id, publicKey: key, share: share, count: made.count, day: day, language: language.chosen
            ).pdf()
        } finish: {
            try keeper.shares.remember(made, of: id, key)
            do {
                try show(made, files, of: id, key, session.output)
            } catch {
                // Nobody has them all. Not to forget them costs only a wrong age in `doctor`.
                try? keeper.shares.forget(made, of: id, key)
                throw error
            }
        }
        session.output.note("check word of the key \(key.checkWord.text)")
        if files != nil {
            session.output.hint("print the pages, then delete the files: \(shares.threshold) of them are the key")
        }
        session.output.hint("keytool backup check --share proves that a share can still be read")
    }

    /// Writes a file for each share, then does `finish`. If anything fails, no file is left.
    private func write(
        _ files: [ResultFile], of shares: ArraySlice<Share>, _ page: (Share) -> SecureBytes, finish: () throws -> Void
    ) throws {
        guard let file = files.first, let share = shares.first else { return try finish() }
        let bytes = page(share)
        try bytes.withBytes { bytes in
            try file.write(bytes) { try write(Array(files.dropFirst()), of: shares.dropFirst(), page, finish: finish) }
        }
    }

    private func show(
        _ made: [Share], _ files: [ResultFile]?, of id: ThreemaID, _ key: PublicKey, _ output: Output
    ) throws {
        let set = Int(made[0].set.identifier)
        func json(_ words: (Int) -> JSONValue?) -> JSONValue {
            .result(
                "backup split",
                [
                    ("id", .string(id.text)), ("public_key", .string(key.hex)),
                    ("check", .string(key.checkWord.text)), ("set", .number(set)),
                    ("threshold", .number(shares.threshold)), ("count", .number(shares.count)),
                    (
                        "shares",
                        .array(
                            made.indices.map { index in
                                .members([
                                    ("number", .number(index + 1)),
                                    ("sheet", files.map { .string($0[index].path) }), ("words", words(index)),
                                ])
                            })
                    ),
                ])
        }
        let wrote = (files ?? []).enumerated().map { "wrote share \($0 + 1) of \(id) to \($1.path)" }
        guard revealShares else { return try output.done(wrote, json: json { _ in nil }) }
        wrote.forEach { output.note($0) }
        let marks = SecretMarks()
        let lines = made.indices.flatMap { index in
            TerminalSize.isTerminal
                ? ["", "Share \(index + 1) of \(made.count) of \(id), \(shares.threshold) are needed:", marks[index]]
                : [marks[index]]
        }
        try output.reveal(lines, json: json { .string(marks[$0]) }, marks, secrets: made.count) { index, result in
            result.append(made[index].words.text())
        }
        if TerminalSize.isTerminal { output.hint("the words stay in this terminal's scrollback") }
    }
}
