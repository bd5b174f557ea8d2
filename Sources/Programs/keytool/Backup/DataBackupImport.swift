import CommandLine
import Console
import Encodings
import SafeKeeping
import Threema
import ThreemaKeeping

extension BackupImport {
    /// Stores identity and profile of an Android data backup.
    func importDataBackup(_ file: DataBackupFile, _ session: Session) throws {
        let read = try file.open(code, session)
        let keeper = try session.keeperOfNewKeystore(keystore)
        let id = read.identity.id
        let stored: CodeKeeper.StoredDataBackup
        do {
            stored = try keeper.codes.replacing(read.identity, replace, session.output) {
                try keeper.codes.store(
                    read.identity, with: read.document, ifOtherKey: $0,
                    ifOtherProfile: replaceProfile ? .replace : .refuse)
            }
        } catch let error as ProfileKeepingError {
            try Self.show(error, session.output)
            throw error
        }
        let lead =
            stored.isNew
            ? "imported \(id)"
            : stored.isProfileStored
                ? "imported the profile of \(id), which is in the keystore with the same key"
                : "already in the keystore, with the same key and profile: \(id)"
        try session.output.done(
            [lead] + read.lines,
            json: read.json(
                "backup import",
                [("stored", .bool(stored.isNew)), ("profile_stored", .bool(stored.isProfileStored))]))
        read.sayNotes(session.output)
        if stored.isProfileStored {
            session.output.note("a data backup has no nickname: keytool profile set --nickname NAME sets one")
        }
        if stored.isNew && !keystore.noPassphrase { session.noteProtection(of: keeper) }
    }

    /// Shows what distinguishes the profile in the keystore.
    private static func show(_ error: ProfileKeepingError, _ output: Output) throws {
        guard case .otherProfile(let id, let difference) = error else { return }
        let words = DifferenceWords(difference)
        try output.data(
            words.lines(other: "the data backup"),
            json: .result(
                "backup import",
                [
                    ("id", .string(id)), ("stored", false), ("profile_stored", false),
                    ("difference", .members(words.json())),
                ]))
    }
}
