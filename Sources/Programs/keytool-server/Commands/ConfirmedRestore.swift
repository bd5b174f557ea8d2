import Console
import SafeStore

extension FolderStore {
    /// Carries out a plan of a restore.
    /// - Parameters:
    ///   - question: what to ask first; nil for no question.
    ///   - subject: what was looked at, for the failure: "the backup has".
    /// - Throws: `UsageFailure` if the answer is no; `.tempfail` if somebody has uploaded during the question, or a sweep
    ///   has removed what was to be restored. Then nothing was changed; if the sweep did it during the restore, some
    ///   backups may be restored, and the failure says so.
    func restore(_ plan: RestorePlan, asking question: String?, _ subject: String, _ dialog: Dialog) throws {
        if let question { try dialog.confirm(question) }
        let isRestored: Bool
        do throws(StoreError) {
            isRestored = try restore(plan, now: WallClock.now())
        } catch .unavailable {
            throw Failure(
                .tempfail,
                "a previous backup was removed meanwhile, or the store cannot be reached; of several backups, some may be restored",
                hints: "run the command again")
        }
        guard isRestored else {
            throw Failure(
                .tempfail, "\(subject) changed meanwhile; nothing was restored", hints: "run the command again")
        }
    }
}
