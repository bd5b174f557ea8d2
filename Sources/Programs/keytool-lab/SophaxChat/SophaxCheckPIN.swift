import ArgumentParser
import CommandLine
import Console
import Encodings
import MessengerKeeping
import SophaxChat
import SophaxStorage

struct SophaxCheckPIN: Verb {
    static let configuration = CommandConfiguration(
        commandName: "check-pin", abstract: "Check a PIN of the app's lock.",
        discussion: """
            Exit code 0 for the PIN and for that of duress, 12 for any other. Each try is counted before it is \
            checked; from the fifth failure on there is a delay of 30 seconds, which doubles up to an hour. A right PIN \
            clears the failures, at most 4 times within 24 hours.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: AccountArgument<SophaxChatMessenger>

    @OptionGroup(title: "PIN to check")
    var pin: SecretOptions<MainKeyPIN>

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let (keeper, id) = try session.open(named, keystore)
        guard try keeper.hasPIN(id) else { throw SophaxKeepingError.noPIN }
        try keeper.requireReady(for: .check, id, at: WallClock.now())
        let pin = try SophaxPINChoice.current(pin, id, session)
        try session.output.busy("deriving the hash of the PIN") {
            try keeper.checkPIN(pin.bytes, of: id, at: WallClock.now())
        }
        try session.output.done(
            ["the PIN of \(id) is right"],
            json: SophaxChatMessenger.result("check-pin", [("id", .string(id.description))]))
    }
}
