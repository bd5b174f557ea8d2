import ArgumentParser
import Console
import Encodings
import MessengerKeeping
import SophaxChat
import SophaxStorage

struct SophaxExport: Verb {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Export a SophaxChat identity as an age file, or for the app.",
        discussion: """
            The age file has the keys, the user's name, the verified peers and the prekeys; the program age opens it, \
            too. --sxid writes the app's identity backup, which has keys and name only, under a passphrase of at least \
            16 characters. keytool sophaxchat import reads both.
            """)

    @ParentCommand var noun: SophaxChatCommand
    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: SophaxArgument

    @OptionGroup var written: DocumentOptions

    @Flag(help: "Write the app's identity backup (SXID), under a passphrase of at least 16 characters.")
    var sxid = false

    @Flag(help: "Leave the prekeys out.")
    var withoutPrekeys = false

    @OptionGroup(title: "Passphrase of the file (at least 8 characters)")
    var passphrase: SecretOptions<FilePassphrase>

    @OptionGroup var recipients: AgeRecipientOptions

    @Flag(help: "Accept a weak passphrase; only warn.")
    var weakOk = false

    @OptionGroup var keystore: KeystoreOptions

    func validate() throws {
        guard !sxid || recipients.texts.isEmpty else {
            throw ValidationError("--sxid writes a file under a passphrase: it takes no recipient")
        }
    }

    func run(_ session: Session) throws {
        // Refuse before asking, not after.
        let target = try written.target(outside: session.reserved)
        _ = try recipients.recipients(insteadOf: passphrase)
        let keeper = try session.sophaxChat(keystore.passphrase)
        let id = try session.sophaxChat(named.id, in: keeper)
        let account = try withoutPrekeys || sxid ? keeper.account(id) : keeper.wholeAccount(id)
        let known = account.identity.publicIdentity
        let username = account.username
        let file = try sxid ? backup(account, target, session) : age(account, target, session)
        try target.write(file.span) {
            guard let path = target.path else { return }
            try session.output.done(
                ["wrote \(known.peerID) to \(path)"],
                json: .sophaxChat(
                    "export",
                    [("file", .string(path)), ("bytes", .number(file.count)), ("form", sxid ? "sxid" : "age")]
                        + known.members + [("username", .string(username))]))
        }
    }

    private func age(
        _ account: borrowing SophaxAccount, _ target: DocumentTarget, _ session: Session
    ) throws -> [UInt8] {
        let protection = try recipients.protection(
            or: passphrase, .named(target.path ?? "with \(account.peerID)"), weak: weakOk ? .accept : .ask, session)
        return try protection.seal(account.encoded(), session.output)
    }

    private func backup(
        _ account: consuming SophaxAccount, _ target: DocumentTarget, _ session: Session
    ) throws -> [UInt8] {
        let (id, username) = (account.peerID, account.username)
        let secret = try SecretAsker(passphrase, session.dialog).create(
            .named(target.path ?? "with \(id)"), minimum: IdentityBackup.minPassphrase,
            weak: weakOk ? .accept : .ask)
        let backup = IdentityBackup(
            identity: account.intoIdentity(), username: username, exported: AppTime(WallClock.now()))
        return try session.output.busy("deriving the key of the file") {
            let file = try backup.sealed(passphrase: secret)
            // It is opened again before anybody relies on it.
            guard try IdentityBackup(opening: file, passphrase: secret).identity.peerID == id else {
                throw BackupError.wrongIdentity
            }
            return file
        }
    }
}
