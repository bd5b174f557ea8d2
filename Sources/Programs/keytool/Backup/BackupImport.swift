import ArgumentParser
import CommandLine
import Console
import Encodings
import SafeKeeping
import ThreemaKeeping
import Threema

struct BackupImport: Verb {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Restore an identity from its backup code, or from an Android data backup.",
        discussion: """
            A data backup is a ZIP file. Identity, contacts, groups and distribution lists are imported; messages and \
            media are not.
            """)

    @OptionGroup var globals: GlobalOptions
    @OptionGroup var code: CodeOptions

    @OptionGroup var keystore: NewKeystoreOptions

    @Flag(help: "Overwrite another private key of this ID in the keystore.")
    var replace = false

    @Flag(help: "Overwrite another profile of this identity by that of an Android data backup.")
    var replaceProfile = false

    func run(_ session: Session) throws {
        if let file = try DataBackupFile(code, session) { return try importDataBackup(file, session) }
        guard !replaceProfile else {
            throw UsageFailure("--replace-profile is for Android data backups; a code has no profile")
        }
        let opened = try code.open(session)
        let keeper = try session.keeperOfNewKeystore(keystore)
        let isNew = try keeper.codes.storeImported(opened.identity, from: .backupCode, isReplacing: replace)
        let lead = isNew ? "imported" : "already in the keystore, with the same key:"
        try session.output.done(
            ["\(lead) \(opened.identity.id)"] + opened.lines,
            json: opened.json("backup import", [("stored", .bool(isNew))]))
        if isNew && !keystore.noPassphrase { session.noteProtection(of: keeper) }
    }
}

extension CodeKeeper {
    /// `store`, for commands whose `--replace` overwrites another key.
    func storeImported(_ identity: borrowing Identity, from source: Source, isReplacing: Bool) throws -> Bool {
        do {
            return try store(identity, from: source, ifOtherKey: isReplacing ? .replace : .refuse)
        } catch SafeKeepingError.otherKey(let id) {
            throw CommandFailure(failure: .otherKey(of: id, replacedBy: "--replace"))
        }
    }
}
