import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore
import SafeKeeping
import ThreemaKeeping
import SafeWire
import SecureMemory
import Threema
import ThreemaSafe

struct SafePull: Verb {
    static let configuration = CommandConfiguration(
        commandName: "pull", abstract: "Restore an identity and its profile from its Safe backup.",
        discussion: """
            If the Safe is set up in this keystore, no option is needed. On a new machine, give --id, --server and the \
            Safe password to restore private key, profile and setup. If something would be lost, the command fails \
            (17, 19) and changes nothing. --output writes the document, without the private key, and stores nothing.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The identity whose Safe is set up. Optional if the keystore holds only one.")
    var identity: ThreemaID?

    @OptionGroup var place: PlaceOption

    @Option(help: ArgumentHelp("Restore this ID, with --server and the Safe password.", valueName: "id"))
    var id: ThreemaID?

    @OptionGroup(title: "Server")
    var server: ServerOptions

    @Flag(help: "Accept an older backup, and the loss of changes that were not uploaded; replace damaged records.")
    var replace = false

    @Option(
        help: ArgumentHelp(
            "Replace the private key of this ID in the keystore with the one in the backup.", valueName: "id"))
    var replaceKey: ThreemaID?

    @Flag(help: "Do not store server and Safe key.")
    var noSetup = false

    @Flag(help: "Store the setup for reading only: a phone writes the backup, and keytool safe mirror fetches it.")
    var readOnly = false

    @Option(
        help: ArgumentHelp(
            "Take backup N of keytool safe history, or a file that --raw has written, and not that of the server.",
            valueName: "n|file"),
        completion: .file())
    var from: String?

    @OptionGroup var written: OptionalDocumentOptions

    @Flag(help: "Also write the private key to the file. Anyone who has it can act as you.")
    var revealPrivateKey = false

    @Flag(help: "Write the encrypted backup as it is, even if it is damaged; store nothing.")
    var raw = false

    @Flag(help: "Only show what is in the backup, with --verbose also the contacts; store nothing.")
    var show = false

    @OptionGroup(title: "Safe password")
    var password: SecretOptions<SafePassword>

    @OptionGroup var keystore: NewKeystoreOptions

    @OptionGroup var waiting: TimeLimitOptions

    func validate() throws {
        guard !readOnly || id != nil && !noSetup && written.output == nil && !show else {
            throw ValidationError("--read-only requires --id, and cannot be combined with options that store nothing")
        }
        guard !raw || (written.output != nil && !revealPrivateKey && !show) else {
            throw ValidationError("--raw requires --output and cannot be combined with --reveal-private-key or --show")
        }
        guard !revealPrivateKey || written.output != nil else {
            throw ValidationError("--reveal-private-key requires --output")
        }
        guard from == nil || !readOnly && !noSetup else {
            throw ValidationError("--from cannot be combined with --read-only or --no-setup")
        }
        guard id == nil || identity == nil else { throw ValidationError("give the identity only once") }
    }

    func run(_ session: Session) throws {
        // Refuse before asking for a password, not after.
        let target = try written.target(outside: session.reserved)
        if let from { return try runEarlier(EarlierSource(from), target, session) }
        // Its provisioning file is in the keystore.
        let opened = try server.onprem == nil ? nil : session.keeper(keystore.passphrase, waiting.limits)
        let servers = opened.map { session.servers(of: $0.onPrem) }
        let named = try server.named(isNeeded: id != nil, opened?.onPrem, session)
        guard named != nil || id == nil else {
            throw UsageFailure("no server was given", hint: "--server https://… or file:///DIR")
        }
        let isFromSetup = named == nil
        // By the setup that is sealed here; or by server and password, where there may be no keystore yet.
        let present = try isFromSetup ? session.keeper(keystore.passphrase, waiting.limits) : nil
        var options = SafeKeeper.KeepOptions()
        options.isReplacing = replace
        options.isKeepingSetup = !noSetup
        if readOnly { options.access = .readOnly }
        let isStoring = written.output == nil && !show
        if isStoring, let keeper = present {
            let id = try session.identity(identity, in: keeper)
            try checkReplacedKey(id)
            options.isReplacingKey = replaceKey != nil
            let chosen = try session.place(place.name, of: id, in: keeper)
            let address = try keeper.safe.server(of: chosen.place).address
            let fetched = try session.output.busy(fetching(id)) {
                try chosen.naming { try keeper.safe.pull(chosen.place, options) }
            }
            return try tell(
                fetched.backup, id, from: .server(address.name), at: chosen.place.name, isStored: true,
                replaced: fetched.replaced, session)
        }
        let chosen = try present.map { keeper in
            try session.place(place.name, of: session.identity(identity, in: keeper), in: keeper)
        }
        var access = try access(named, chosen, present, servers, session)
        try checkReplacedKey(access.id)
        options.isReplacingKey = replaceKey != nil
        if raw, let target {
            let blob = try noting(chosen, present) {
                try fetch(by: &access, servers, session) { try $0.fetchEncrypted() }
            }
            return try writeEncrypted(blob, access.id, at: chosen?.place.name, to: target, session)
        }
        let fetched = try noting(chosen, present) { try fetch(by: &access, servers, session) { try $0.fetch() } }
        let source = PullSummary.Source.server(access.address.name)
        let setUp = chosen?.place.name
        if let target { return try write(fetched.backup, fetched.id, from: source, at: setUp, to: target, session) }
        guard isStoring else {
            return try tell(fetched.backup, fetched.id, from: source, at: setUp, isStored: false, session)
        }
        let keeper = try opened ?? session.keeperOfNewKeystore(keystore)
        let replaced = try keeper.safe.keep(fetched, from: access, as: place.name, options)
        if !keystore.noPassphrase { session.noteProtection(of: keeper) }
        try tell(
            fetched.backup, fetched.id, from: source, at: replaced.place ?? setUp, isStored: true, replaced: replaced,
            session)
        if let company = server.onprem { session.find(fetched.id, at: company, keeper, waiting.limits) }
    }

    /// Writes the document of an opened backup.
    func write(
        _ backup: borrowing SafeBackup, _ id: ThreemaID, from source: PullSummary.Source, at place: PlaceName?,
        to target: DocumentTarget, _ session: Session
    ) throws {
        let document =
            revealPrivateKey ? backup.revealDocument() : SecureBytes(copying: backup.encodedDocument.span)
        try document.withBytes { JSONValue.escapedForOutput($0) }.withBytes { document in
            try target.write(document) { path in
                try tell(backup, id, from: source, at: place, path: path, isStored: false, session)
            }
        }
    }

    /// Tells what is in an opened backup.
    /// - Parameters:
    ///   - place: the Safe place; nil if the command is about none.
    ///   - path: of the document that was written; nil if none was.
    func tell(
        _ backup: borrowing SafeBackup, _ id: ThreemaID, from source: PullSummary.Source, at place: PlaceName?,
        path: String? = nil, isStored: Bool, replaced: FetchedSafe.Replaced? = nil, _ session: Session
    ) throws {
        let summary = PullSummary(id: id, backup: backup, from: source)
        replaced?.warn(id, contacts: backup.document.contactCount, session.output)
        let written = path.map { ["wrote the document to \($0); it is not encrypted"] } ?? []
        let contacts: SafeContact.LevelStyle? =
            show && session.output.isVerbose ? Output.isResultColored ? .dots : .words : nil
        try session.output.result(
            summary.lines(isStored: isStored, contacts: contacts) + written.map(StyledLine.init),
            json: summary.json(at: place, isStored: isStored, file: path, contacts: contacts), isData: show)
        // A machine that the identity is new on.
        guard isStored, let replaced, replaced.contacts == nil, replaced.damaged.isEmpty else { return }
        if replaced.place != nil {
            session.output.hint(
                "unless something here runs \(readOnly ? "mirror" : "push") --all already: keytool safe schedule prints what cron or systemd needs"
            )
        }
        if id.isGateway { session.hintAtGatewaySecret("a Safe") }
    }

    /// That a backup which is set up is missing or damaged is remembered, as by every other look.
    private func noting<Result: ~Copyable>(
        _ place: ChosenPlace?, _ keeper: ThreemaKeeper?, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error where error is SafeKeepingError || error is SafeBackupError {
            if let place { _ = try? keeper?.safe.look(at: place.place) }
            throw error
        }
    }

    func checkReplacedKey(_ id: ThreemaID) throws {
        guard let replaceKey, replaceKey != id else { return }
        throw UsageFailure("--replace-key names \(replaceKey), but the identity is \(id)")
    }

    private func access(
        _ named: consuming SafeEndpoint?, _ place: ChosenPlace?, _ present: ThreemaKeeper?, _ servers: OnPremServers?,
        _ session: Session
    ) throws -> SafeAccess {
        let connect = session.connecting(waiting.limits, servers)
        if let present, let place { return try present.safe.access(to: place.place) }
        guard let named = named.take(), let id = id ?? identity else {
            throw UsageFailure("\(self.server.onprem == nil ? "--server" : "--onprem") requires --id")
        }
        let trusted = try self.server.trustingFingerprint(named, waiting.limits, session)
        var server = trusted.copy
        if !self.server.hasFingerprint { server = try session.askingToTrust(trusted, waiting.limits, servers) }
        return try SecretAsker(password, session.dialog).open(.for(id.text), isWrong: { _ in false }) { password in
            try session.output.busy("deriving the Safe key") {
                try SafeAccess(
                    to: id, at: server.copy, password: password, connect: connect)
            }
        }
    }

    private func fetching(_ id: ThreemaID) -> String { "downloading the Safe backup of \(id)" }

    private func fetch<Result: ~Copyable>(
        by access: inout SafeAccess, _ servers: OnPremServers?, _ session: Session,
        _ read: (borrowing SafeAccess) throws -> Result
    ) throws -> Result {
        try askingLogin(&access, servers, session) { access in
            try session.output.busy(fetching(access.id)) { try read(access) }
        }
    }

    func writeEncrypted(
        _ blob: [UInt8], _ id: ThreemaID, at place: PlaceName?, to target: DocumentTarget, _ session: Session
    ) throws {
        try target.write(blob.span) { path in
            try session.output.done(
                ["wrote the encrypted backup of \(id), \(ByteCount.text(blob.count)), to \(path)"],
                json: .result(
                    "safe pull",
                    [
                        ("id", .string(id.text)), ("place", place.map { .string($0.text) }), ("file", .string(path)),
                        ("bytes", .number(blob.count)),
                        ("stored", false),
                    ]))
        }
    }
}
