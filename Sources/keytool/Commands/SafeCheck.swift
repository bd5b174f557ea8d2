import ArgumentParser
import Encodings
import SafeKeeping
import SafeWire
import Threema

struct SafeCheck: Verb {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Prove that the Safe backup opens and holds what the keystore holds.")

    @ParentCommand var noun: SafeCommand
    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The identity; may be left out where there is only one.")
    var id: ThreemaID?

    @Flag(help: "Ask for the Safe password and ignore the stored key: prove that you still know it.")
    var withPassword = false

    @OptionGroup(title: "Safe password")
    var password: SecretOptions<SafePassword>

    @OptionGroup(title: "Keystore passphrase")
    var passphrase: SecretOptions<KeystorePassphrase>

    @OptionGroup var waiting: PatienceOptions

    func run(_ session: Session) throws {
        let keeper = try session.keeper(passphrase, waiting.patience)
        let id = try session.identity(id, in: keeper)
        let access = try access(to: id, keeper, session)
        let fetched = try session.output.busy("fetching the Safe backup of \(id)") { try keeper.check(access) }
        let document = fetched.backup.document
        let stamp = fetched.backup.stamp
        try session.output.done(
            [
                "the Safe backup of \(id) opens and holds what the keystore holds"
                    + (withPassword ? "; the password is right" : "")
            ],
            json: .result(
                "safe check",
                [
                    ("id", .string(id.text)), ("same", true), ("password_proven", .bool(withPassword)),
                    ("contacts", .number(document.contactCount)), ("groups", .number(document.groupCount)),
                    ("generation", stamp.map { .number($0.generation) }),
                ]))
    }

    private func access(to id: ThreemaID, _ keeper: SafeKeeper, _ session: Session) throws -> SafeAccess {
        guard withPassword else {
            guard password.file == nil, password.command == nil, password.descriptor == nil else {
                throw UsageFailure("a Safe password is of no use without --with-password")
            }
            return try keeper.access(to: id)
        }
        let server = try keeper.server(of: id)
        return try SecretAsker(password, session).open("for \(id)", isWrong: { _ in false }) { password in
            try session.output.busy("deriving the Safe key") {
                try SafeAccess(
                    to: id, at: server.copy, password: password, connect: session.connecting(waiting.patience))
            }
        }
    }
}
