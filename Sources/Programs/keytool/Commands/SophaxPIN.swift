import ArgumentParser
import Console
import Encodings
import MessengerKeeping
import SecureMemory
import SophaxChat
import SophaxStorage

// The app's lock. A PIN is a gate and no key: the keystore's passphrase protects the identity.

/// How a new PIN is chosen.
enum SophaxPINChoice {
    static func create<Kind: Secret>(
        _ options: SecretOptions<Kind>, _ id: PeerID, weakOk: Bool, _ session: Session
    ) throws -> SecureBytes {
        let pin = try SecretAsker(options, session.dialog).create(
            .for(id.description), minimum: NewPINOptions.minimum, enoughDigits: NewPINOptions.enoughDigits,
            weak: weakOk ? .accept : .ask)
        // Before the current one is asked for, and counted.
        guard PINLock.counts.contains(pin.count) else { throw PINError.length }
        return pin
    }

    /// The current PIN. It has one try, because every try is counted.
    static func current(_ options: SecretOptions<MainKeyPIN>, _ id: PeerID, _ session: Session) throws -> HeldPIN {
        HeldPIN(
            try SecretAsker(options, session.dialog).open(
                .for(id.description), isWrong: { _ in false }
            ) { pin in pin.withBytes { SecureBytes(copying: $0) } })
    }
}

struct SophaxSetPIN: Verb {
    static let configuration = CommandConfiguration(
        commandName: "set-pin", abstract: "Set or change the PIN of the app's lock.",
        discussion: """
            A PIN has 4 to 64 bytes. If one is set, it is asked for first, and a wrong one is counted. If it is the \
            duress PIN, the command changes that one, and its output is the same. Both PINs together can be changed 4 \
            times within 24 hours. The PIN only locks the app: it does not encrypt the keys.
            """)

    @ParentCommand var noun: SophaxChatCommand
    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: SophaxArgument

    @Flag(help: "Accept a weak PIN, for example one of 4 or 5 digits; only warn.")
    var weakOk = false

    @OptionGroup(title: "PIN that is set now")
    var pin: SecretOptions<MainKeyPIN>

    @OptionGroup(title: "New PIN (at least 4 characters)")
    var newPIN: SecretOptions<NewMainKeyPIN>

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let keeper = try session.sophaxChat(keystore.passphrase)
        let id = try session.sophaxChat(named.id, in: keeper)
        let isChange = try keeper.hasPIN(id)
        try keeper.requireReady(for: .change, id, at: WallClock.now())
        let current = isChange || pin.isGiven ? try SophaxPINChoice.current(pin, id, session) : HeldPIN()
        let new = try SophaxPINChoice.create(newPIN, id, weakOk: weakOk, session)
        try session.output.busy("deriving the hash of the PIN") {
            try keeper.setPIN(new, proving: current, of: id, at: WallClock.now())
        }
        try session.output.done(
            ["the PIN of \(id) was \(isChange ? "changed" : "set")"],
            json: .sophaxChat("set-pin", [("id", .string(id.description)), ("changed", true)]))
    }
}

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

    @OptionGroup var named: SophaxArgument

    @Flag(help: "Accept a weak PIN, for example one of 4 or 5 digits; only warn.")
    var weakOk = false

    @OptionGroup(title: "PIN that is set now")
    var pin: SecretOptions<MainKeyPIN>

    @OptionGroup(title: "New PIN for duress (at least 4 characters)")
    var duressPIN: SecretOptions<DuressPIN>

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let keeper = try session.sophaxChat(keystore.passphrase)
        let id = try session.sophaxChat(named.id, in: keeper)
        guard try keeper.hasPIN(id) else { throw SophaxKeepingError.noPIN }
        try keeper.requireReady(for: .change, id, at: WallClock.now())
        let current = try SophaxPINChoice.current(pin, id, session)
        let new = try SophaxPINChoice.create(duressPIN, id, weakOk: weakOk, session)
        try session.output.busy("deriving the hash of the PIN") {
            try keeper.setDuressPIN(new, proving: current, of: id, at: WallClock.now())
        }
        try session.output.done(
            ["the duress PIN of \(id) was set"],
            json: .sophaxChat("set-duress-pin", [("id", .string(id.description)), ("changed", true)]))
    }
}

struct SophaxCheckPIN: Verb {
    static let configuration = CommandConfiguration(
        commandName: "check-pin", abstract: "Check a PIN of the app's lock.",
        discussion: """
            Exit code 0 for the PIN and for that of duress, 12 for any other. Each try is counted before it is \
            checked; from the fifth failure on there is a delay of 30 seconds, which doubles up to an hour. A right PIN \
            clears the failures, at most 4 times within 24 hours.
            """)

    @ParentCommand var noun: SophaxChatCommand
    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: SophaxArgument

    @OptionGroup(title: "PIN to check")
    var pin: SecretOptions<MainKeyPIN>

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let keeper = try session.sophaxChat(keystore.passphrase)
        let id = try session.sophaxChat(named.id, in: keeper)
        guard try keeper.hasPIN(id) else { throw SophaxKeepingError.noPIN }
        try keeper.requireReady(for: .check, id, at: WallClock.now())
        let pin = try SophaxPINChoice.current(pin, id, session)
        try session.output.busy("deriving the hash of the PIN") {
            try keeper.checkPIN(pin.bytes, of: id, at: WallClock.now())
        }
        try session.output.done(
            ["the PIN of \(id) is right"], json: .sophaxChat("check-pin", [("id", .string(id.description))]))
    }
}
