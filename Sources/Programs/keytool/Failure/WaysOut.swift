import Console
import SafeRules

extension WayOut {
    /// The command, and what it does.
    /// - Parameter isAboutChange: whether the command continues a change of password or place.
    func words(_ id: String, isAboutChange: Bool = false) -> Hint? {
        switch self {
        case .pushAgain where isAboutChange: "\(safe: "push") \(id) tries to finish the change"
        case .pushAgain: "\(safe: "push") \(id) uploads the backup"
        case .pushOverwriting: "\(safe: "push") --overwrite \(id) replaces what is on the server"
        case .pushOverwritingTooLong:
            "\(safe: "push") --overwrite \(id) replaces what is on the server, without a copy: it is too long for one"
        case .pushResumingDeleted: "\(safe: "push") --resume-deleted \(id) uploads again"
        case .pushAcceptingLoss: "\(safe: "push") --accept-loss \(id) uploads it anyway"
        case .overwriting: "--overwrite replaces it; a copy stays in the history for 90 days"
        case .overwritingTooLong: "--overwrite replaces it; it is too long for a copy in the history"
        case .pullingFirst:
            "keytool safe pull --id \(id) --server URL restores it here first; then the same command again"
        case .pull: "\(safe: "pull") \(id) restores the backup here"
        case .pullReplacing: "\(safe: "pull") --replace \(id) restores the backup and overwrites the local changes"
        case .pullReplacingKey:
            "\(safe: "pull") --replace --replace-key \(id) \(id) restores the backup and overwrites the local key and profile"
        case .replacing: "the same command with --replace restores the backup and overwrites the profile"
        case .settingUp: "keytool safe setup --name PLACE \(id) adds the server and leaves the profile as it is"
        case .abort: "\(safe: "move") --abort \(id) cancels the change"
        case .forgetOld: "\(safe: "server") --forget-old \(id) stops trying to delete the old backup"
        case .delete: "\(safe: "delete") \(id) deletes it"
        case .move: "\(safe: "move") --server URL moves the Safe"
        case .moveLeavingOld: "\(safe: "move") --server URL --leave-old moves there without deleting the old backup"
        case .mirror: "\(safe: "mirror") \(id) fetches the backup without writing"
        case .mirrorAcceptingLoss: "\(safe: "mirror") --accept-loss \(id) takes it as the normal backup"
        case .adoptPassword: "\(safe: "passwd") --adopt \(id) uses the Safe password that the phone has changed to"
        case .restoreFromHistory:
            "\(safe: "history") \(id) lists the earlier backups; \(safe: "pull") --from N \(id) restores one here"
        case .nothing: nil
        }
    }
}
