import ArgumentParser
import CommandLine
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

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var change: SophaxPINChange

    @OptionGroup(title: "New PIN for duress (at least 4 characters)")
    var duressPIN: SecretOptions<DuressPIN>

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let (keeper, id) = try session.open(change.named, keystore)
        guard try keeper.hasPIN(id) else { throw SophaxKeepingError.noPIN }
        try keeper.requireReady(for: .change, id, at: WallClock.now())
        let current = try SophaxPINChoice.current(change.pin, id, session)
        let new = try SophaxPINChoice.create(duressPIN, id, weakOk: change.weakOk, session)
        try session.output.busy("deriving the hash of the PIN") {
            try keeper.setDuressPIN(new, proving: current, of: id, at: WallClock.now())
        }
        try session.output.done(
            ["the duress PIN of \(id) was set"],
            json: SophaxChatMessenger.result("set-duress-pin", [("id", .string(id.description)), ("changed", true)]))
    }
}
