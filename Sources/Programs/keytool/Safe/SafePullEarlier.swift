import CommandLine
import Console
import Encodings
import Keystore
import SafeKeeping
import SafeRules
import SafeWire
import SecureMemory
import Threema
import ThreemaKeeping
import ThreemaSafe

/// What `safe pull --from` names.
enum EarlierSource {
    /// The number in the history.
    case history(Int)
    case file(String)

    /// Digits are a number; a file of such a name is `./3`.
    init(_ text: String) {
        let isNumber = !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
        self = isNumber ? .history(Int(text) ?? .max) : .file(text)
    }
}

/// `safe pull --from`: a backup of the history or of a file takes the place of the server's.
extension SafePull {
    func runEarlier(_ source: EarlierSource, _ target: DocumentTarget?, _ session: Session) throws {
        guard !server.isOption else { throw UsageFailure("--from cannot be combined with --server") }
        switch source {
        case .history(let number):
            guard id == nil else { throw UsageFailure("a number for --from needs no --id: name the identity alone") }
            let keeper = try session.keeper(keystore.passphrase)
            let id = try session.identity(identity, in: keeper)
            let chosen = try session.placeWithHistory(place.name, of: id, in: keeper)
            if raw, let target {
                let bytes = try chosen.naming { try keeper.safe.earlierBytes(number, of: chosen.place) }
                return try writeEncrypted(bytes, id, at: chosen.place.name, to: target, session)
            }
            let backup = try chosen.naming { try keeper.safe.earlierBackup(number, of: chosen.place) }
            try end(backup, id, .history(number), at: chosen.place.name, target, keeper, session)
        case .file(let path):
            guard !raw else { throw UsageFailure("--raw would only copy the file") }
            let bytes = try InputFile(path: path).readBytes(.bytes, limit: maxFetchedBytes)
            guard let id else {
                let keeper = try session.keeper(keystore.passphrase)
                let id = try session.identity(identity, in: keeper)
                let chosen = try session.place(place.name, of: id, in: keeper)
                let backup = try opening(path, "the key of the Safe that is set up") {
                    try keeper.safe.open(bytes, of: chosen.place)
                }
                return try end(backup, id, .file(path), at: chosen.place.name, target, keeper, session)
            }
            let backup = try opening(path, "this Safe password") {
                try SecretAsker(password, session.dialog).open(
                    .for(id.text), isWrong: { ($0 as? SafeBackupError) == .notAuthentic }
                ) { password in
                    try session.output.busy("opening the backup") {
                        try SafeKeeper.open(bytes, of: id, password: password)
                    }
                }
            }
            try end(backup, id, .file(path), at: nil, target, nil, session)
        }
    }

    /// - Throws: 12 if the file does not open: its format cannot tell a wrong key from damage.
    private func opening(_ path: String, _ key: String, _ body: () throws -> SafeBackup) throws -> SafeBackup {
        do {
            return try body()
        } catch SafeBackupError.tooShort {
            throw Failure(.badData, "\(path.printable) is too short for a Safe backup")
        } catch SafeBackupError.notAuthentic {
            throw Failure(
                .wrongPassword, "\(key) does not open \(path.printable), or the file is damaged",
                hints: id == nil ? ["--id ID asks for the Safe password of the file"] : [])
        }
    }

    /// Writes, shows or stores an opened backup.
    /// - Parameters:
    ///   - place: whose backup or key it is; nil if no setup was used.
    ///   - keeper: nil if the keystore is not open yet.
    private func end(
        _ backup: borrowing SafeBackup, _ id: ThreemaID, _ source: PullSummary.Source, at place: PlaceName?,
        _ target: DocumentTarget?, _ keeper: ThreemaKeeper?, _ session: Session
    ) throws {
        try checkReplacedKey(id)
        if let target { return try write(backup, id, from: source, at: place, to: target, session) }
        guard !show else { return try tell(backup, id, from: source, at: place, isStored: false, session) }
        var options = SafeKeeper.KeepOptions()
        options.isReplacing = replace
        options.isReplacingKey = replaceKey != nil
        let keeper = try keeper ?? session.keeperOfNewKeystore(keystore)
        let replaced = try restoring(source) { try keeper.safe.restore(backup, of: id, options) }
        if !keystore.noPassphrase { session.noteProtection(of: keeper) }
        try tell(backup, id, from: source, at: place, isStored: true, replaced: replaced, session)
    }

    /// What a refusal advises is about this source, not about the server's backup.
    private func restoring<Result>(_ source: PullSummary.Source, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch SafeKeepingError.refused(.unpushedChanges, let id, let server, _) {
            let failure = SafeFailure.unpushedChanges.explained(id, server)
            throw Failure(
                failure.status, failure.message,
                hints: "--replace restores \(source.words) and overwrites the local changes"
            ).because(of: SafeFailure.unpushedChanges.word)
        }
    }
}

extension FetchedSafe.Replaced {
    /// Warns if contacts are gone, if records were damaged, and if the setup is that of another server.
    /// - Parameter contacts: number of contacts in the restored profile.
    func warn(_ id: ThreemaID, contacts: Int, _ output: Output) {
        if let before = self.contacts, contacts < before {
            output.warn("the profile had \(Counted.text(before, "contact")) before and has \(contacts) now")
        }
        for record in damaged { output.warn("the record \"\(record)\" of \(id) was damaged; it was replaced") }
        if isOtherPassword {
            output.warn("the Safe of \(id) is still set up with another Safe password: that did not change")
        } else if let otherServer {
            output.warn("the Safe of \(id) is still set up on \(otherServer.name): that did not change")
            output.hint("keytool safe setup --name PLACE \(id) adds the other server")
        }
    }
}
