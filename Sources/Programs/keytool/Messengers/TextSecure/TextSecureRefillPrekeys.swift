import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore
import MessengerKeeping
import Ratchet
import TextSecure

struct TextSecureRefillPrekeys: Verb {
    static let configuration = CommandConfiguration(
        commandName: "refill-prekeys", abstract: "Make prekeys until the account has as many as it should.",
        discussion: """
            Those that are held stay. The server replaces its whole list with each upload, so upload all of them again.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: AccountArgument<TextSecureMessenger>

    @Option(help: ArgumentHelp("How many prekeys there should be, 1 to 1000.", valueName: "count"))
    var size = PrekeyPool.Rules.textSecure.batch

    @OptionGroup var keystore: KeystoreOptions

    func validate() throws {
        guard (1...PrekeyPool.Rules.maxBatch).contains(size) else {
            throw ValidationError("--size must be 1 to \(PrekeyPool.Rules.maxBatch)")
        }
    }

    func run(_ session: Session) throws {
        let (keeper, number) = try session.open(named, keystore)
        let added = try keeper.refillPrekeys(of: number, to: size, at: WallClock.now())
        try session.output.done(
            [
                added.isEmpty
                    ? "\(number) has \(Counted.text(size, "prekey")) or more already"
                    : "made \(Counted.text(added.count, "prekey")) for \(number)"
            ],
            json: TextSecureMessenger.result(
                "refill-prekeys",
                [
                    ("id", .string(Owner.textSecure(number).id)), ("number", .string(number.text)),
                    ("added", .array(added.map { .number($0) })),
                ]))
        if !added.isEmpty {
            session.output.hint("upload all of them: keytool-lab textsecure request upload-keys \(number) -o FILE")
        }
    }
}
