import ArgumentParser
import CommandLine
import Console
import Encodings
import SecureMemory
import Shares
import Threema
import ThreemaDirectory
import ThreemaKeeping

struct BackupJoin: Verb {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Restore an identity from shares of its private key.",
        discussion: """
            Without files, the words are asked for one by one; the first four letters of each are enough. The ID and the \
            check word of the key stand on each share.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(
        help: ArgumentHelp("Files with the words of one share each, or - for stdin.", valueName: "file"),
        completion: .file())
    var files: [String] = []

    @Option(help: "The ID on the shares. Asked for on a terminal if it is missing.")
    var id: ThreemaID?

    @Option(help: ArgumentHelp("Fail (19) if the public key differs.", valueName: "hex"))
    var expectPublicKey: PublicKey?

    @OptionGroup(title: "Directory")
    var directory: DirectoryOptions

    @OptionGroup var keystore: NewKeystoreOptions

    @Flag(help: "Overwrite another private key of this ID in the keystore.")
    var replace = false

    func run(_ session: Session) throws {
        guard files.count(where: { $0 == "-" }) < 2 else { throw StandardInput.isTwoThings }
        try keystore.passphrase.requireOtherSource(ifTaken: files.contains("-"))
        let isAsking = try directory.isNamed || directory.hasTrust
        // It may have the provisioning file of the directory. A wrong passphrase should not lose typed words.
        let opened = try isAsking || files.isEmpty ? session.keeperIfPresent(keystore.passphrase) : nil
        let work = opened.map { session.directory(of: $0, directory) }
        let server = try isAsking ? directory.server(remembered: nil, work?.companies) : nil
        let joined = try ShareSource(files: files).join(session)
        let shares = joined.shares
        let identity = Identity(id: try id ?? askID(session), clientKey: ClientKey(joined.key))
        try compare(identity, server, work?.connect, session)

        let keeper = try opened ?? session.keeperOfNewKeystore(keystore)
        try requireOnlyOwner(of: identity, keeper)
        let isNew = try keeper.codes.storeImported(identity, from: .shares, isReplacing: replace, session.output)
        // The shares have just been read. That it cannot be stored changes nothing about the identity.
        _ = try? keeper.shares.markChecked(shares, of: identity.id)
        let key = identity.clientKey.publicKey
        let lead = isNew ? "restored" : "already in the keystore, with the same key:"
        try session.output.done(
            ["\(lead) \(identity.id)"] + key.labelledLines + ["check       \(key.checkWord.text)"],
            json: .result(
                "backup join",
                [
                    ("id", .string(identity.id.text)), ("public_key", .string(key.hex)),
                    ("check", .string(key.checkWord.text)),
                    ("shares", .array(shares.map { .number(Int($0.index) + 1) })),
                    ("stored", .bool(isNew)),
                ]))
        if isNew && !keystore.noPassphrase { session.noteProtection(of: keeper) }
        if isNew { session.noteKeyOnly(of: identity.id, keeper) }
    }

    private func askID(_ session: Session) throws -> ThreemaID {
        guard session.dialog.mayAsk, let terminal = ControllingTerminal() else {
            throw UsageFailure("the words do not say the ID", hint: "--id ID, which stands on each share")
        }
        while true {
            guard let answer = try terminal.askText("ID on the shares: ") else {
                throw UsageFailure("the ID was not entered")
            }
            if let id = try? ThreemaID(answer.filter { !$0.isWhitespace }.uppercased()) { return id }
            Output.word("error", "an ID has 8 characters, A-Z and 0-9")
        }
    }

    // MARK: What they join to

    /// Compares the public key with what is known of it; if nothing is, shows its check word and asks.
    /// - Throws: `Failure` if it is another one, or if nobody can be asked.
    private func compare(
        _ identity: borrowing Identity, _ server: DirectoryServer?, _ connect: DirectoryKeeper.Connect?,
        _ session: Session
    ) throws {
        let (id, key) = (identity.id, identity.clientKey.publicKey)
        if let expectPublicKey, expectPublicKey != key {
            throw Failure(
                .verifyFailed, "the shares join to another public key than the expected one: \(key.hex)",
                hints: Self.ofArchive)
        }
        if let server {
            let connect = connect ?? session.connectingDirectory(directory.waiting.limits)
            let entry = try session.output.busy("asking the directory") {
                try DirectoryKeeper.entries(of: [id], at: server, connect)
            }.first
            guard let entry else { throw Failure.unknownIdentity(id, server) }
            guard entry.publicKey == key else {
                throw Failure(
                    .verifyFailed, "the shares join to a private key that is not the one of \(id)",
                    hints: "the directory has another public key; is the ID right?", Self.ofArchive)
            }
        }
        guard expectPublicKey == nil, server == nil else { return }
        guard session.dialog.mayAsk, let terminal = ControllingTerminal() else {
            throw Failure(
                .usage, "nothing says whether the shares join to the right key: nobody can be asked",
                hints:
                    "compare the check word \(key.checkWord.text) with the shares, then name the key: --expect-public-key \(key.hex)",
                Self.ofArchive, "nothing was stored")
        }
        // All words were typed: a slip here should not lose them.
        let question = "Do the shares have the ID \(id) and the check word \(key.checkWord.text)?"
        guard try terminal.askYesNo(question, tries: 3) else {
            throw Failure(
                .verifyFailed, "ID and check word are not confirmed; nothing was stored",
                hints: "another check word: use shares with the same date and check word",
                "another ID: --id ID, which stands on each share", Self.ofArchive)
        }
    }

    /// The shares hold a key, and not whose it is.
    private func requireOnlyOwner(of identity: borrowing Identity, _ keeper: ThreemaKeeper) throws {
        let (id, key) = (identity.id, identity.clientKey.publicKey)
        if let owner = try keeper.shares.owners(of: key).first(where: { $0 != id }) {
            throw Failure(
                .verifyFailed, "the shares join to the private key of \(owner), not to one of \(id)",
                hints: "is the ID right? --id ID, which stands on each share",
                "if \(owner) is the wrong one: keytool id remove \(owner)")
        }
    }

    private static let ofArchive: Hint = "shares of an archive open it: keytool archive import --shares FILE"
}
