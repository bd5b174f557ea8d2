import SafeRules

extension WayOut {
    /// The command, and what it does.
    /// - Parameter isAboutChange: whether the command continues a change of password or place.
    func words(_ id: String, isAboutChange: Bool = false) -> String? {
        switch self {
        case .pushAgain where isAboutChange: "keytool safe push \(id) tries to finish the change"
        case .pushAgain: "keytool safe push \(id) uploads the backup again"
        case .pushOverwriting: "keytool safe push --overwrite \(id) replaces what is on the server"
        case .pushResumingDeleted: "keytool safe push --resume-deleted \(id) uploads again"
        case .pushAcceptingLoss: "keytool safe push --accept-loss \(id) uploads it anyway"
        case .overwriting: "--overwrite replaces it; a copy stays in the history for 90 days"
        case .pull: "keytool safe pull \(id) restores the backup here"
        case .pullReplacing: "keytool safe pull --replace \(id) restores the backup and overwrites the local changes"
        case .pullReplacingKey:
            "keytool safe pull --replace --replace-key \(id) \(id) restores the backup and overwrites the local key and profile"
        case .abort: "keytool safe move --abort \(id) cancels the change"
        case .forgetOld: "keytool safe server --forget-old \(id) stops trying to delete the old backup"
        case .delete: "keytool safe delete \(id) deletes it"
        case .move: "keytool safe move moves the Safe"
        case .moveLeavingOld: "keytool safe move --leave-old moves there without deleting the old backup"
        case .mirror: "keytool safe mirror \(id) fetches the backup without writing"
        case .mirrorAcceptingLoss: "keytool safe mirror --accept-loss \(id) takes it as the normal backup"
        case .restoreFromHistory:
            "keytool safe history \(id) lists the earlier backups; keytool safe pull --from N \(id) restores one here"
        case .nothing: nil
        }
    }
}
