import ArgumentParser
import Console
import Encodings
import MessengerKeeping
import SophaxChat
import SophaxStorage

struct SophaxSetDuressPIN: Verb {
    static let configuration = CommandConfiguration(
        commandName: "set-duress-pin", abstract: "Set the PIN of the app's lock that is told under duress.",
        discussion: """
            The PIN is asked for first. A check answers both PINs in the same way, and the keystore does not show \
            whether a duress PIN is set. If the duress PIN is given, the output is the same, and nothing changes. The \
            new PIN has to differ from the one that was given. It counts as a change of a PIN; there can be 4 within \
            24 hours.
            """)

    @ParentCommand var noun: SophaxChatCommand
    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: AccountArgument<SophaxChatMessenger>

    @Flag(help: "Accept a weak PIN, for example one of 4 or 5 digits; only warn.")
    var weakOk = false

    @OptionGroup(title: "PIN that is set now")
    var pin: SecretOptions<MainKeyPIN>

    @OptionGroup(title: "New PIN for duress (at least 4 characters)")
    var duressPIN: SecretOptions<DuressPIN>

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let (keeper, id) = try session.open(named, keystore)
        guard try keeper.hasPIN(id) else { throw SophaxKeepingError.noPIN }
        try keeper.requireReady(for: .change, id, at: WallClock.now())
        let current = try SophaxPINChoice.current(pin, id, session)
        let new = try SophaxPINChoice.create(duressPIN, id, weakOk: weakOk, session)
        try session.output.busy("deriving the hash of the PIN") {
            try keeper.setDuressPIN(new, proving: current, of: id, at: WallClock.now())
        }
        try session.output.done(
            ["the duress PIN of \(id) was set"],
            json: SophaxChatMessenger.result("set-duress-pin", [("id", .string(id.description)), ("changed", true)]))
    }
}
