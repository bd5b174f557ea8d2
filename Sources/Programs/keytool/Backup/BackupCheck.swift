import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore
import ThreemaKeeping
import Threema

struct BackupCheck: Verb {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check that a code, share, data backup or key file opens. Stores only the date of the check.")

    @OptionGroup var globals: GlobalOptions
    @OptionGroup var code: CodeOptions

    @Flag(help: "Check one share of a private key: its words, its number, and whose it is.")
    var share = false

    @OptionGroup var keyFile: IdentityKeyFileOptions

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        if share {
            try code.requireShareOptions()
            try keyFile.refuse(for: "a share")
            try keystore.passphrase.requireOtherSource(ifTaken: code.file == "-")
            return try ShareCheck(file: code.file, id: code.expectId).run(session) {
                try session.keeper(keystore.passphrase)
            }
        }
        // Wrong options are the caller's to mend, before anything is asked.
        let source = try keystore.passphrase.source()
        guard try source?.isStandardInput != true || !code.takesStandardInput else { throw StandardInput.isTwoThings }
        if let file = try DataBackupFile(code, session) {
            try keyFile.refuse(for: "an Android data backup")
            let opened = try file.open(code, session)
            let lines = ["the data backup opens: \(opened.identity.id)"] + opened.lines
            defer { opened.sayNotes(session.output) }
            return try report(opened.identity, .otherFile, lines, session) { opened.json("backup check", $0) }
        }
        if let file = try IdentityKeyFile.read(code, keyFile, verb: "check", session.output) {
            let opened = try file.open(code, keyFile, or: keystore.passphrase, isStored: false, session)
            let lines = ["the key file opens: \(opened.identity.id)"] + opened.lines
            return try report(opened.identity, .otherFile, lines, session) { opened.json("backup check", $0) }
        }
        let opened = try code.open(session)
        let lines = ["the code opens: \(opened.identity.id)"] + opened.lines
        try report(opened.identity, .code(opened.code), lines, session) { opened.json("backup check", $0) }
    }

    /// What was opened. The keystore remembers when a code was.
    private enum Opened {
        case code(GroupedCode)
        case otherFile

        var isCode: Bool {
            switch self {
            case .code: true
            case .otherFile: false
            }
        }
    }

    /// - Parameter json: the document with these members at its end.
    private func report(
        _ identity: borrowing Identity, _ opened: Opened, _ lines: [String], _ session: Session,
        json: ([(String, JSONValue?)]) -> JSONValue
    ) throws {
        let output = session.output
        // What paper and password are worth is known now. A person is told before the next question.
        let isForPeople = !output.isJSON && !output.isQuiet
        if isForPeople { try output.print(lines) }
        let (holding, isStored) = compare(identity, opened, session)
        if case .otherKey(let key) = holding {
            throw Self.otherKey(identity.id, key, identity.clientKey.publicKey, isCode: opened.isCode)
        }
        if output.isJSON {
            try output.done([], json: json([("stored", false), ("held", holding.map { .bool($0 == .same) })]))
        } else if isForPeople, holding == .same {
            try output.print([
                "the keystore holds this key" + (isStored ? "; the date of this check was stored" : "")
            ])
        }
    }

    /// A code with a typing error can open, with another key. So can an old one.
    private static func otherKey(
        _ id: ThreemaID, _ held: PublicKey, _ found: PublicKey, isCode: Bool
    ) -> Failure {
        let keys: [Hint] = ["keystore  \(held.hex)", "backup    \(found.hex)"]
        let typing: [Hint] = isCode ? ["a typing error in a code gives another key: compare it with the paper"] : []
        return Failure(
            .verifyFailed, "the keystore holds \(id) with another private key; this backup does not restore it",
            hints: keys + typing + ["if the backup is of an earlier key, write a new one: keytool backup export \(id)"]
        ).because(of: "other_key")
    }

    /// Has the keystore remember the proof of a code.
    /// - Returns: whether it holds the identity, nil where it could not be opened, which is said; and whether the date of
    ///   the proof was stored.
    private func compare(
        _ identity: borrowing Identity, _ opened: Opened, _ session: Session
    ) -> (holding: CodeKeeper.Holding?, isStored: Bool) {
        let loss = opened.isCode ? ", and the date was not stored" : ""
        do {
            let keeper = try session.keeper(keystore.passphrase)
            let holding = try keeper.codes.compare(identity)
            guard case .code(let code) = opened, holding == .same else { return (holding, false) }
            do {
                guard try keeper.codes.markProven(identity) else { return (CodeKeeper.Holding.none, false) }
            } catch {
                session.output.warn("the date of this check was not stored: \(Failure(error).message)")
                return (.same, false)
            }
            do {
                try keeper.kits.markChecked(code, of: identity.id)
            } catch {
                session.output.warn("the date was not stored for the emergency kit: \(Failure(error).message)")
            }
            return (.same, true)
        } catch KeystoreError.absent {
            // A code can be checked on a machine that holds no identity.
            return (CodeKeeper.Holding.none, false)
        } catch SecretError.none {
            session.output.warn("the keystore needs its passphrase; the key was not compared\(loss)")
        } catch {
            session.output.warn(
                "the key was not compared with the keystore\(loss): \(Failure(error).message)")
        }
        return (nil, false)
    }
}
