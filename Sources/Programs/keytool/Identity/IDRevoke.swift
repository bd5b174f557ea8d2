import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore
import SecureMemory
import Threema
import ThreemaDirectory
import ThreemaKeeping

struct IDRevoke: Verb {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke an identity at the directory, for ever.",
        discussion: """
            Afterwards nobody can use the ID. An identity in the keystore is revoked by its private key. If a revocation \
            password is given, or if the keystore does not hold the identity, it is revoked by that password. With ID, \
            revocation password and --directory, the passphrase of the keystore is not asked for.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: IdentityArgument

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup(title: "Revocation password")
    var password: SecretOptions<RevocationPassword>

    @OptionGroup(title: "Directory")
    var directory: DirectoryOptions

    @OptionGroup var keystore: KeystoreOptions

    /// What the revocation is done with.
    private enum Way: String {
        case key, password
    }

    func run(_ session: Session) throws {
        let isPasswordGiven = try password.source() != nil
        let opened: ThreemaKeeper?
        do {
            // With these, a keystore whose passphrase is lost does not matter; only what it remembers of the
            // directory's authorities and pins does.
            let isComplete = named.id != nil && isPasswordGiven && directory.directory != nil
            let loss = "what the keystore remembers of the directory does not count"
            opened =
                try isComplete
                ? session.keeperIfOpen(keystore.passphrase, orWarning: loss) : session.keeper(keystore.passphrase)
        } catch KeystoreError.absent where named.id != nil {
            opened = nil
        }
        // Only if the identity is named.
        guard let keeper = opened else {
            return try revoke(named.id!, at: directory.server(remembered: nil, nil), nil, session)
        }
        let id = try session.identity(named.id, in: keeper)
        let work = session.directory(of: keeper, directory)
        guard try keeper.identities.ids().contains(id) else {
            let server = try directory.server(remembered: nil, work.companies)
            return try revoke(id, at: server, work.connect, session)
        }
        let server = try directory.server(of: id, work)
        if isPasswordGiven {
            try revoke(id, at: server, work.connect, session)
        } else {
            try confirm(id, session)
            try carryOut(id, session) { try work.revoke(id, at: server) }
            try report(id, by: .key, session)
        }
        session.output.hint("\(id) stays in the keystore; keytool id remove \(id) removes it")
        for place in (try? session.places(nil, of: id, in: keeper)) ?? [] {
            session.output.hint("keytool safe delete \(place.argument) deletes its Safe backup")
        }
    }

    /// By the password.
    /// - Parameter connect: that of the keystore; nil if it is not open.
    private func revoke(
        _ id: ThreemaID, at server: DirectoryServer, _ connect: DirectoryKeeper.Connect?, _ session: Session
    ) throws {
        try confirm(id, session)
        let key = try SecretAsker(password, session.dialog).open(.for(id.text), isWrong: { _ in false }) { secret in
            secret.withBytes { RevocationKey(password: $0) }
        }
        let connect = connect ?? session.connectingDirectory(directory.waiting.limits)
        try carryOut(id, session) { try DirectoryKeeper.revoke(id, by: key, at: server, connect) }
        try report(id, by: .password, session)
    }

    private func confirm(_ id: ThreemaID, _ session: Session) throws {
        if yes { return }
        session.output.warn("a revocation cannot be undone")
        try session.dialog.confirm("revoke \(id) for ever", typing: id.text)
    }

    private func carryOut(_ id: ThreemaID, _ session: Session, _ work: () throws -> Void) throws {
        try DirectoryKeepingError.advising("it may be revoked already: keytool id fetch \(id) shows its state") {
            try session.output.busy("asking the directory", work)
        }
    }

    private func report(_ id: ThreemaID, by way: Way, _ session: Session) throws {
        try session.output.done(
            ["revoked \(id)"],
            json: .result(
                "id revoke", [("id", .string(id.text)), ("revoked", true), ("by", .string(way.rawValue))]))
    }
}
