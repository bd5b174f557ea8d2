import ArgumentParser
import CommandLine
import Console
import MessengerKeeping
import SecureMemory
import SophaxChat
import SophaxStorage

// The app's lock. A PIN is a gate and no key: the keystore's passphrase protects the identity.

/// The PIN that is told under duress.
enum DuressPIN: Secret {
    static let stem = "duress-pin"
    static let title = "duress PIN"
}

/// What the verbs have in common that change a PIN.
struct SophaxPINChange: ParsableArguments {
    @OptionGroup var named: AccountArgument<SophaxChatMessenger>

    @Flag(help: "Accept a weak PIN, for example one of 4 or 5 digits; only warn.")
    var weakOk = false

    @OptionGroup(title: "PIN that is set now")
    var pin: SecretOptions<MainKeyPIN>
}

/// How a new PIN is chosen.
enum SophaxPINChoice {
    static func create<Kind: Secret>(
        _ options: SecretOptions<Kind>, _ id: PeerID, weakOk: Bool, _ session: Session
    ) throws -> SecureBytes {
        let pin = try SecretAsker(options, session.dialog).create(
            .for(id.description), minimum: PINRules.minimum, enoughDigits: PINRules.enoughDigits,
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
