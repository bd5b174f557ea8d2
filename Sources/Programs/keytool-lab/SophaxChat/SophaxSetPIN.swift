import ArgumentParser
import CommandLine
import Console
import Encodings
import MessengerKeeping
import SophaxChat
import SophaxStorage

struct SophaxSetPIN: Verb {
    static let configuration = CommandConfiguration(
        commandName: "set-pin", abstract: "Set or change the PIN of the app's lock.",
        discussion: """
            A PIN has 4 to 64 bytes. If one is set, it is asked for first, and a wrong one is counted. If it is the \
            duress PIN, the command changes that one, and its output is the same. Both PINs together can be changed 4 \
            times within 24 hours. The PIN only locks the app: it does not encrypt the keys.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var change: SophaxPINChange

    @OptionGroup(title: "New PIN (at least 4 characters)")
    var newPIN: SecretOptions<NewMainKeyPIN>

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let (keeper, id) = try session.open(change.named, keystore)
        let isChange = try keeper.hasPIN(id)
        try keeper.requireReady(for: .change, id, at: WallClock.now())
        let current = isChange || change.pin.isGiven ? try SophaxPINChoice.current(change.pin, id, session) : HeldPIN()
        let new = try SophaxPINChoice.create(newPIN, id, weakOk: change.weakOk, session)
        try session.output.busy("deriving the hash of the PIN") {
            try keeper.setPIN(new, proving: current, of: id, at: WallClock.now())
        }
        try session.output.done(
            ["the PIN of \(id) was \(isChange ? "changed" : "set")"],
            json: SophaxChatMessenger.result("set-pin", [("id", .string(id.description)), ("changed", true)]))
    }
}
