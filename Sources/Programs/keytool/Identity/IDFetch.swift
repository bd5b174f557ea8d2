import ArgumentParser
import CommandLine
import Console
import Encodings
import Threema
import ThreemaDirectory
import ThreemaKeeping

struct IDFetch: Verb {
    static let configuration = CommandConfiguration(
        commandName: "fetch", abstract: "Ask the directory for the public keys of identities.",
        discussion: """
            Prints ID, public key, state and type. The directory says so; to be sure, compare the key with its owner. \
            With --directory, the passphrase of the keystore is not asked for.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: ArgumentHelp("The identities to ask for.", valueName: "id"))
    var ids: [ThreemaID]

    @OptionGroup(title: "Directory")
    var directory: DirectoryOptions

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        var asked: [ThreemaID] = []
        for id in ids where !asked.contains(id) { asked.append(id) }
        let isNamed = try directory.isNamed
        let keeper =
            try isNamed
            ? session.keeperIfOpen(keystore.passphrase, orWarning: "not compared with the keystore")
            : session.keeperIfPresent(keystore.passphrase)
        let work = keeper.map { session.directory(of: $0, directory) }
        let server = try directory.server(remembered: isNamed ? nil : remembered(work), work?.companies)
        let connect = work?.connect ?? session.connectingDirectory(directory.waiting.limits)
        let entries = try session.output.busy("asking the directory") {
            try DirectoryKeeper.entries(of: asked, at: server, connect)
        }
        let comparison = KeyComparison(try keeper?.knownKeys(), server)
        var members: [JSONValue] = []
        var failures: [Failure] = []
        for id in asked {
            guard let entry = entries.first(where: { $0.id == id }) else {
                let failure = Failure.unknownIdentity(id, server)
                members.append(["id": .string(id.text), "error": failure.json])
                failures.append(failure)
                continue
            }
            let failure = comparison.failure(of: id, entry.publicKey)
            members.append(entry.json(matches: comparison.matches(id, entry.publicKey), failure))
            comparison.warn(of: id, entry.publicKey, session.output)
            if let failure { failures.append(failure) }
        }
        if !session.output.isJSON { for failure in failures { failure.report(isVerbose: session.output.isVerbose) } }
        // A wrong key is worse than an unknown ID.
        let worst = failures.first { $0.status == .verifyFailed } ?? failures.first
        // A command that has found nothing prints an error only.
        if entries.isEmpty, let worst {
            throw CommandFailure(failure: worst, isReported: !session.output.isJSON)
        }
        try session.output.finish(worst, isReported: true) {
            try session.output.data(
                entries.map(\.line), json: .result("id fetch", [("identities", .array(members))]))
        }
    }

    /// The one directory that the keystore's identities use; nil if they have none.
    private func remembered(_ work: DirectoryKeeper?) throws -> DirectoryServer? {
        let servers = try work?.servers() ?? []
        guard servers.count < 2 else {
            throw UsageFailure(
                "the identities in the keystore use several directories", hint: "choose one: --directory URL")
        }
        return servers.first
    }
}

extension DirectoryEntry {
    /// One line: ID, key, state, type.
    fileprivate var line: String {
        "\(id)  \(publicKey.words)  \(state.name)  \(kind.name)"
    }

    fileprivate func json(matches: Bool?, _ failure: Failure?) -> JSONValue {
        .members([
            ("id", .string(id.text)), ("public_key", publicKey.map { .string($0.hex) }),
            ("state", .string(state.name)), ("type", .string(kind.name)),
            ("feature_mask", .number(featureMask.rawValue)), ("matches", matches.map { .bool($0) }),
            ("error", failure?.json),
        ])
    }
}

extension IdentityState {
    /// In snake case, as in JSON.
    fileprivate var name: String {
        switch self {
        case .active: "active"
        case .inactive: "inactive"
        case .invalid: "invalid"
        }
    }
}

extension IdentityKind {
    fileprivate var name: String {
        switch self {
        case .regular: "regular"
        case .work: "work"
        default: "type_\(rawValue)"
        }
    }
}
