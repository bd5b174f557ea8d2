import Age
import CommandLine
import Console
import Encodings
import Shares

/// The key of a new archive that people share, instead of a passphrase.
struct ArchiveShares {
    /// New for each archive.
    let key: HeldAgeIdentity
    let new: NewShares

    /// Makes a key, and its shares.
    /// - Throws: `SharePlanError.notReproduced`.
    init(_ numbers: ShareNumbers, _ files: [ResultFile]?, isRevealed: Bool) throws {
        let key = AgeIdentity.random()
        new = NewShares(
            shares: try numbers.plan.provenShares(of: key.revealBytes()), files: files, isRevealed: isRevealed,
            subject: "the archive")
        self.key = HeldAgeIdentity(key)
    }

    private var recipient: AgeRecipient { key.identity.recipient }

    /// For this key alone.
    var protection: AgeProtection { .recipients([recipient]) }

    /// The member of a result that is about the key.
    var members: [(String, JSONValue?)] { [("recipient", .string(recipient.description))] }

    /// Writes the pages, and then the archive. If the archive cannot be written, no page is left.
    /// - Parameter path: of the archive; nil for stdout.
    func writePages(of path: String?, in language: PageLanguage, then archive: () throws -> Void) throws {
        let day = WallClock.now().day
        var failure: (any Error)?
        try new.writePages { share in
            ArchiveShareSheet(
                of: path, recipient: recipient.description, share: share, count: new.shares.count, day: day,
                language: language
            ).pdf()
        } finish: {
            do {
                try archive()
            } catch {
                // An archive that could not be removed again keeps its shares. What was there before is not ours.
                let isForeign = Failure(error).status == .exists
                guard isForeign || path.map({ FileStatus.isMissing($0) }) ?? true else { return failure = error }
                throw error
            }
        }
        if let failure { throw failure }
    }

    /// What is worth knowing afterwards.
    /// - Parameter path: of the archive; nil for stdout.
    func advise(on path: String?, _ output: Output) {
        if new.files != nil {
            output.hint("print the pages, then delete the files: \(new.threshold) of them open the archive")
        }
        output.hint(
            "keytool archive check --shares \(path.map(ShellWord.path) ?? "FILE") proves that the shares open it")
        output.hint("the same shares open later archives: keytool archive export --recipient \(recipient) -o FILE")
    }
}
