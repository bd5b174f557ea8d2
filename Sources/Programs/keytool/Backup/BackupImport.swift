import ArgumentParser
import CommandLine
import Console
import Encodings
import SafeKeeping
import ThreemaKeeping
import Threema

struct BackupImport: Verb {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Restore an identity from its backup code, a data backup or a key file.",
        discussion: """
            The content of the file tells what it is. A data backup of the Android app is a ZIP file. Identity, \
            contacts, groups and distribution lists are imported; messages and media are not. A key file is the \
            keystorage.pb3 of the Desktop app, or the key of a Gateway ID, which needs --id.
            """)

    @OptionGroup var globals: GlobalOptions
    @OptionGroup var code: CodeOptions

    @OptionGroup var keyFile: IdentityKeyFileOptions

    @OptionGroup(title: "API secret of a Gateway ID")
    var gatewaySecret: SecretOptions<GatewaySecretText>

    @OptionGroup var keystore: NewKeystoreOptions

    @Flag(help: "Overwrite another private key of this ID in the keystore.")
    var replace = false

    @Flag(help: "Overwrite another profile of this identity by that of an Android data backup.")
    var replaceProfile = false

    func run(_ session: Session) throws {
        if let file = try DataBackupFile(code, session) {
            try keyFile.refuse(for: "an Android data backup")
            try refuseSecret()
            return try importDataBackup(file, session)
        }
        guard !replaceProfile else {
            throw UsageFailure("--replace-profile is for Android data backups; nothing else has a profile")
        }
        if let file = try IdentityKeyFile.read(code, keyFile, verb: "import", session.output) {
            return try importKeyFile(file, session)
        }
        let opened = try code.open(session)
        let id = opened.identity.id
        let secret = try gatewaySecret.isGiven ? requiredSecret(for: id, session) : nil
        let keeper = try session.keeperOfNewKeystore(keystore)
        // Key and secret in one step. The key is held then, so that the next step notes only that its code is proven.
        let stored = gatewaySecret.isGiven ? try storeGateway(opened.identity, secret, keeper, session.output) : nil
        let isNewByCode = try keeper.codes.storeImported(
            opened.identity, from: .backupCode, isReplacing: replace, session.output)
        let (isNew, hasSecret) = (stored?.isNew ?? isNewByCode, stored?.isSecretStored ?? false)
        try session.output.done(
            [Self.lead(isNew, id)] + opened.lines + (hasSecret ? [Self.secretLine] : []),
            json: opened.json(
                "backup import",
                [
                    ("stored", .bool(isNew)),
                    ("gateway_secret_stored", gatewaySecret.isGiven ? .bool(hasSecret) : nil),
                ]))
        if isNew && !keystore.noPassphrase { session.noteProtection(of: keeper) }
        if isNew { session.noteKeyOnly(of: id, keeper) }
    }
}

extension CodeKeeper {
    /// `store`, for commands whose `--replace` overwrites another key.
    func storeImported(
        _ identity: borrowing Identity, from source: Source, isReplacing: Bool, _ output: Output
    ) throws -> Bool {
        try replacing(identity, isReplacing, output) { try store(identity, from: source, ifOtherKey: $0) }
    }

    /// Stores an identity by `body`, and says which key was replaced.
    func replacing<Stored>(
        _ identity: borrowing Identity, _ isReplacing: Bool, _ output: Output, _ body: (OtherKey) throws -> Stored
    ) throws -> Stored {
        let former = isReplacing ? try compare(identity) : .none
        let stored: Stored
        do {
            stored = try body(isReplacing ? .replace : .refuse)
        } catch SafeKeepingError.otherKey(let id) {
            throw Failure.otherKey(of: id, replacedBy: "--replace")
        }
        if case .otherKey(let key) = former {
            output.warnOfReplaced(key)
        }
        return stored
    }
}

extension Output {
    /// That a command has replaced a private key. Nobody can learn its public key later.
    func warnOfReplaced(_ key: PublicKey) {
        warn("another private key was replaced: the one of the public key \(key.hex)")
    }
}
