import SafeRules

extension WayOut {
    /// The command, and what it does.
    /// - Parameter isAboutChange: whether it is a change of password or place that goes on.
    func words(_ id: String, isAboutChange: Bool = false) -> String? {
        switch self {
        case .pushAgain where isAboutChange: "keytool safe push \(id) tries to finish the change"
        case .pushAgain: "keytool safe push \(id) uploads the backup again"
        case .pushOverwriting: "keytool safe push --overwrite \(id) replaces what is on the server"
        case .pushResumingDeleted: "keytool safe push --resume-deleted \(id) uploads again"
        case .pushAcceptingLoss: "keytool safe push --accept-loss \(id) uploads it if that is meant"
        case .overwriting: "--overwrite replaces it; the history keeps what is replaced for 90 days"
        case .pull: "keytool safe pull \(id) takes the backup over"
        case .pullReplacing: "keytool safe pull --replace \(id) takes the backup over and overwrites what is here"
        case .pullReplacingKey:
            "keytool safe pull --replace --replace-key \(id) \(id) takes the backup over and overwrites key and profile here"
        case .abort: "keytool safe move --abort \(id) cancels the change"
        case .forgetOld: "keytool safe server --forget-old \(id) leaves the old backup where it is"
        case .delete: "keytool safe delete \(id) deletes it"
        case .move: "keytool safe move changes the place"
        case .moveLeavingOld: "keytool safe move --leave-old moves there and deletes nothing at the old place"
        case .nothing: nil
        }
    }
}
