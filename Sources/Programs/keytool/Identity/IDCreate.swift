import ArgumentParser
import CommandLine
import Console
import Encodings
import ThreemaKeeping
import SecureMemory
import Threema
import ThreemaDirectory
import ThreemaRecords

/// Where an identity's private key gets entropy from besides the system.
enum EntropySource: String, ExpressibleByArgument, CaseIterable {
    case keyboard
}

struct IDCreate: Verb {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create an identity.",
        discussion: """
            Private key and ID are random. With --directory, the directory registers the key and draws the ID. Otherwise \
            no directory knows the ID, so the phone apps cannot restore it. \
            To use an identity that a phone has, export a backup code there, and run: keytool backup import.
            """)

    @OptionGroup var globals: GlobalOptions

    // The IDs that there are would be the wrong ones to offer.
    @Option(
        help: ArgumentHelp("Use this ID instead of a random one; without a directory only.", valueName: "id"),
        completion: .list([]))
    var id: ThreemaID?

    @Option(help: ArgumentHelp("Mix the timing of your typing into the private key: keyboard.", valueName: "source"))
    var entropy: EntropySource?

    @Flag(help: "Finish a registration whose answer was lost.")
    var resume = false

    @OptionGroup var pending: PendingOptions

    @Option(
        help: ArgumentHelp(
            "Register at the directory of a company, with its licence: keytool onprem import.", valueName: "company"))
    var onprem: OnPremName?

    @OptionGroup(title: "Directory")
    var directory: DirectoryOptions

    @OptionGroup var keystore: NewKeystoreOptions

    func validate() throws {
        guard id == nil || (directory.directory == nil && !resume) else {
            throw ValidationError("--id cannot be combined with --directory or --resume: the directory draws the ID")
        }
        guard entropy == nil || !resume else {
            throw ValidationError("--entropy and --resume cannot be combined: the private key exists already")
        }
        guard onprem == nil || id == nil && !resume && directory.directory == nil && directory.directoryPin.isEmpty
        else {
            throw ValidationError(
                "--onprem cannot be combined with --id, --resume, --directory or --directory-pin")
        }
        guard pending.pending == nil || resume else { throw ValidationError("--pending requires --resume") }
    }

    func run(_ session: Session) throws {
        if resume { return try resume(session) }
        if let onprem { return try register(session, at: onprem) }
        guard try directory.isNamed else {
            guard !directory.hasTrust else { throw DirectoryOptions.trustAlone }
            let (keeper, identity) = try create(session, opening(session)) {
                try $0.identities.create(id, mixing: $1).id
            }
            return try report(identity, keeper, nil, session)
        }
        guard id == nil else {
            throw UsageFailure("the directory draws the ID: --id cannot be used", hint: "unset KEYTOOL_DIRECTORY")
        }
        let server = try directory.server(remembered: nil, nil)
        let (keeper, identity) = try create(session, opening(session)) { keeper, entropy in
            try session.directory(of: keeper, directory).register(at: server, mixing: entropy)
        }
        try report(identity, keeper, server, session)
    }

    /// - Parameters:
    ///   - make: makes the identity from the bytes that were typed.
    ///   - open: opens the keystore.
    private func create(
        _ session: Session, _ open: () throws -> ThreemaKeeper, _ make: (ThreemaKeeper, Span<UInt8>) throws -> ThreemaID
    ) throws -> (ThreemaKeeper, ThreemaID) {
        guard entropy == .keyboard else {
            let keeper = try open()
            return (keeper, try make(keeper, Span()))
        }
        guard session.dialog.mayAsk, let terminal = ControllingTerminal() else {
            throw UsageFailure("--entropy keyboard needs a terminal")
        }
        let typing = try terminal.collectTyping()
        let keeper = try open()
        return (keeper, try typing.withBytes { try make(keeper, $0) })
    }

    private func opening(_ session: Session) -> () throws -> ThreemaKeeper {
        { try session.keeperOfNewKeystore(keystore) }
    }

    /// At the directory of a company, whose provisioning file is in the keystore.
    private func register(_ session: Session, at company: OnPremName) throws {
        let opened = try session.keeper(keystore.passphrase)
        let work = session.directory(of: opened, directory)
        let server = work.companies.present(try directory.server(of: opened.onPrem.file(company)))
        let (keeper, identity) = try create(session, { opened }) { try work.register(at: server, mixing: $1) }
        try report(identity, keeper, server, session)
    }

    private func resume(_ session: Session) throws {
        let keeper = try session.keeper(keystore.passphrase)
        let key = try pending.key(in: keeper)
        let work = session.directory(of: keeper, directory)
        let server = try directory.server(remembered: work.server(ofPending: key), work.companies)
        let (id, wasAdded) = try session.output.busy("asking the directory") { try work.resume(key, at: server) }
        if wasAdded { session.output.note("the keystore holds \(id) already; nothing was sent") }
        try report(id, keeper, server, session)
    }

    /// - Parameter server: the directory that has registered the key; nil for none.
    private func report(
        _ id: ThreemaID, _ keeper: ThreemaKeeper, _ server: DirectoryServer?, _ session: Session
    ) throws {
        let identity = try keeper.identities.summary(id)
        try session.output.done(
            identity.lines,
            json: .result(
                "id create",
                identity.members + [
                    ("registered", .bool(server != nil)), ("directory", server.map { .string($0.url) }),
                    ("protection", .string(keeper.isProtected ? "passphrase" : "none")),
                ]))
        if server == nil { session.output.hint("no directory knows this ID: the phone apps cannot restore it") }
        if !keystore.noPassphrase { session.noteProtection(of: keeper) }
        session.output.hint("make a backup code now: keytool backup export \(id)")
    }
}
