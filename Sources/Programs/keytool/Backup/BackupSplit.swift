import ArgumentParser
import AtomicFiles
import CommandLine
import Console
import Encodings
import Shares
import Threema
import ThreemaKeeping

struct BackupSplit: Verb {
    static let configuration = CommandConfiguration(
        commandName: "split", abstract: "Share the private key among people, of whom some together restore it.",
        discussion: """
            Each share is a list of 33 words (SLIP-39) on a page of its own. Fewer shares than needed tell nothing of the \
            key; enough of them are the key, without a password. Give each to another person. Shares of an earlier split \
            stay valid.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: IdentityArgument

    @Option(help: ArgumentHelp("How many shares are needed, and how many are made: 2/2 to 16/16.", valueName: "m/n"))
    var shares: ShareNumbers

    @OptionGroup var places: NewShareOptions

    @OptionGroup var keystore: KeystoreOptions

    func validate() throws { try places.requireOne() }

    func run(_ session: Session) throws {
        let (keeper, id) = try session.open(named.id, keystore)
        // Refuse before the key is opened, not after.
        try places.withFiles(shares.count, named: id.text, outside: session.reserved) { files in
            try split(id, files, keeper, session)
        }
    }

    private func split(_ id: ThreemaID, _ files: [ResultFile]?, _ keeper: ThreemaKeeper, _ session: Session) throws {
        let output = session.output
        let (made, key) = try output.busy("sharing the key") { try keeper.shares.split(id, by: shares.plan) }
        let day = WallClock.now().day
        let new = NewShares(shares: made, files: files, isRevealed: places.revealShares, subject: id.text)
        // Without a signal in between: shares that came to nobody are forgotten again.
        try EndingSignals.held {
            // First: a page that a killed command has left is known then. Shares that nobody has cost only a wrong age.
            let earlier = try keeper.shares.remember(made, of: id, key)
            do {
                let directory = try files == nil ? nil : PrintedDirectory.ofPage(id, in: keeper, output)
                try write(new, of: id, key, directory, day, output)
            } catch {
                try? keeper.shares.forget(made, of: id, key, restoring: earlier)
                throw error
            }
            // What is not forgotten now is forgotten by the next split.
            try? keeper.shares.settle(id, key)
        }
        session.warnOfGatewaySecret(of: try keeper.identities.summary(id), notIn: "the shares")
        output.note("check word of the key \(key.checkWord.text)")
        if files != nil {
            output.hint("print the pages, then delete the files: \(shares.threshold) of them are the key")
        }
        output.hint("keytool backup check --share proves that a share can still be read")
    }

    private func write(
        _ new: NewShares, of id: ThreemaID, _ key: PublicKey, _ directory: PrintedDirectory?, _ day: String,
        _ output: Output
    ) throws {
        func page(_ share: Share) -> ShareSheet {
            ShareSheet(
                id: id, publicKey: key, share: share, directory: directory, count: new.shares.count, day: day,
                language: places.language.chosen)
        }
        if new.files != nil, !page(new.shares[0]).hasRoomForDirectory {
            output.warn("the address of the directory of \(id) is too long for the pages: write it down elsewhere")
        }
        try new.writePages {
            page($0).pdf()
        } finish: {
            try new.show([], output) { members in
                .result(
                    "backup split",
                    [
                        ("id", .string(id.text)), ("public_key", .string(key.hex)),
                        ("check", .string(key.checkWord.text)),
                    ] + members)
            }
        }
    }
}
