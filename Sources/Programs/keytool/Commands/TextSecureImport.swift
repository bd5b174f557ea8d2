import ArgumentParser
import Console
import Encodings
import Keystore
import MessengerKeeping
import TextSecure

struct TextSecureImport: Verb {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import a TextSecure account from an age file.",
        discussion: """
            The file is one that keytool textsecure export has written. An account that is held is never replaced, not \
            even by another state of itself: prekeys that have been used must not come back.
            """)

    @ParentCommand var noun: TextSecureCommand
    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The file, or - for stdin.", completion: .file())
    var file: String

    @OptionGroup var opening: TextSecureFileOptions

    @OptionGroup var keystore: NewKeystoreOptions

    func run(_ session: Session) throws {
        let account = try opening.open(file, session)
        let keeper = TextSecureKeeper(try session.newKeystore(keystore))
        let isNew = try Self.store(account, keeper)
        try session.output.done(
            [isNew ? "imported \(file)" : "already in the keystore, as a whole: \(file)"] + account.lines,
            json: .textSecure(
                "import",
                [("stored", .bool(isNew)), ("result", .string(isNew ? "imported" : "held"))] + account.members))
        if isNew {
            session.output.hint(
                "if the server may have other prekeys: keytool textsecure request upload-keys \(account.number) -o FILE"
            )
        }
        if isNew, !keystore.noPassphrase { session.noteProtection(isProtected: keeper.isProtected) }
    }

    /// - Returns: whether it was stored; false if the keystore has it.
    private static func store(_ account: borrowing TextSecureAccount, _ keeper: TextSecureKeeper) throws -> Bool {
        do {
            try keeper.add(account)
            return true
        } catch KeystoreError.exists {
            // If it has been removed since, the next attempt stores it.
            guard try keeper.holds(account, at: WallClock.now()) else {
                throw KeystoreError.exists(.textSecure(account.number))
            }
            return false
        }
    }
}
