import Console
import SafeStore

extension FolderStore {
    /// Carries out a plan of a restore.
    /// - Parameters:
    ///   - question: what to ask first; nil for no question.
    ///   - subject: what was looked at, for the failure: "the backup has".
    /// - Throws: `UsageFailure` if the answer is no; `.tempfail` if somebody has uploaded during the question, or a sweep
    ///   has removed what was to be restored. Then nothing was changed.
    func restore(_ plan: RestorePlan, asking question: String?, _ subject: String, _ dialog: Dialog) throws {
        if let question { try dialog.confirm(question) }
        guard try restore(plan, now: WallClock.now()) else {
            throw Failure(
                .tempfail, "\(subject) changed meanwhile; nothing was restored", hints: "run the command again")
        }
    }
}
