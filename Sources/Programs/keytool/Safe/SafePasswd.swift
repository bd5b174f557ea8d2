import ArgumentParser
import CommandLine
import Console
import Encodings
import SafeKeeping
import ThreemaKeeping
import SafeRules
import SafeWire
import Threema
import ThreemaSafe

struct SafePasswd: Verb {
    static let configuration = CommandConfiguration(
        commandName: "passwd", abstract: "Change the Safe password.",
        discussion: """
            Uploads the backup under the new password, reads it back, then deletes the old one. If the command is \
            interrupted, the next push finishes the change. Without --overwrite, a backup of another device is not \
            replaced or deleted. Apps continue to write under the old password: change it there, too.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: IdentityArgument

    @OptionGroup var place: PlaceOption

    @OptionGroup var change: ChangeOptions

    @Flag(
        help:
            "Use the password that the phone has given to a Safe that is set up for reading only. Write nothing.")
    var adopt = false

    @Flag(help: "Accept a weak password; only warn.")
    var weakOk = false

    @OptionGroup(title: "New Safe password (at least 8 characters)")
    var password: SecretOptions<NewSafePassword>

    @OptionGroup var keystore: KeystoreOptions

    @OptionGroup var waiting: TimeLimitOptions

    func validate() throws {
        guard !adopt || !change.abort && !change.overwrite && !change.acceptLoss && !weakOk else {
            throw ValidationError("--adopt cannot be combined with options of a change")
        }
    }

    func run(_ session: Session) throws {
        let keeper = try session.keeper(keystore.passphrase, waiting.limits)
        let id = try session.identity(named.id, in: keeper)
        let chosen = try session.place(place.name, of: id, in: keeper)
        try session.requireClient(for: chosen.place, in: keeper)
        if adopt { return try adopt(chosen, keeper, session) }
        if (try? keeper.safe.isReadOnly(chosen.place)) == true {
            throw SafeKeepingError.refused(.readOnly, id: id.text, server: "").failure
                .advising("keytool safe passwd --adopt \(chosen.argument) takes the new password of the phone")
        }
        if change.abort { return try change.takeBack(chosen, keeper, session.output, command: "safe passwd") }
        let secret = try SecretAsker(password, session.dialog).create(
            .for(id.text), minimum: SafeKeys.minimumPasswordLength, weak: weakOk ? .accept : .ask)
        let result = try change.telling(of: chosen, keeper) {
            try session.output.busy("deriving the Safe key and uploading the backup of \(id)") {
                do {
                    return try keeper.safe.changePassword(at: chosen.place, to: secret, change.options)
                } catch SafeKeepingError.sameTarget {
                    throw UsageFailure("the new Safe password of \(id) is the same as the current one")
                }
            }
        }
        change.warn(of: result, chosen, session.output)
        try session.output.done(
            ["the Safe of \(id) on \(result.server.name) has the new password"],
            json: .result("safe passwd", change.members(chosen, result)))
        session.output.hint("apps that know the old password will write the old backup again")
    }

    private func adopt(_ chosen: ChosenPlace, _ keeper: ThreemaKeeper, _ session: Session) throws {
        let id = chosen.id
        do {
            try SecretAsker(password, session.dialog).open(.for(id.text), isWrong: Self.findsNothing) { password in
                try session.output.busy("deriving the Safe key") {
                    try keeper.safe.adoptPassword(password, at: chosen.place)
                }
            }
        } catch SafeKeepingError.sameTarget {
            throw UsageFailure("the new Safe password of \(id) is the same as the current one")
        }
        let address = try keeper.safe.server(of: chosen.place).address
        try session.output.done(
            ["the Safe of \(id) on \(address.name) is read with the new password"],
            json: .result(
                "safe passwd",
                chosen.members([("id", .string(id.text)), ("server", .server(address, nil)), ("adopted", true)])))
        session.output.hint("fetch it now: keytool safe mirror \(chosen.argument)")
    }

    /// With a wrong password the command looks at another address.
    private static func findsNothing(_ error: any Error) -> Bool {
        if case .noBackup? = error as? SafeKeepingError { return true }
        return false
    }
}
