import ArgumentParser
import CommandLine
import Console
import Keystore
import MessengerKeeping
import ProtonMainKey
import SecureMemory

struct MainKeyInit: Verb {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Make a MainKey.",
        discussion: """
            The key is random. A PIN or passphrase protects it; without a terminal and without a source for the PIN it \
            is stored unprotected. --weak-ok also accepts a weak PIN. No other command ever makes a key.
            """)

    @OptionGroup var globals: GlobalOptions

    @Flag(help: "Make another key beside those in the keystore.")
    var another = false

    @Flag(name: .customLong("no-pin"), help: "Make a key without a PIN; do not ask for one, and do not warn.")
    var noPIN = false

    @OptionGroup(title: "PIN or passphrase of the MainKey (at least 4 characters)")
    var pin: SecretOptions<MainKeyPIN>

    @OptionGroup var keystore: NewKeystoreOptions

    func run(_ session: Session) throws {
        guard !noPIN || !pin.isGiven else { throw UsageFailure("--no-pin and a PIN cannot be combined") }
        let present = try session.mainKeysIfPresent(keystore)
        if !another, let held = try present?.ids().first { throw Self.held(.mainKey(held)) }
        // Before a keystore is created: a PIN that is refused leaves nothing.
        let protection = try newProtection(session)
        let keeper = try present ?? session.mainKeys(of: session.newKeystore(keystore))
        let key = MainKey.random()
        let kinds = protection.kind
        try session.output.busy("deriving the key of the PIN") {
            do {
                try keeper.add(key, protection, isOnly: !another)
            } catch KeystoreError.exists(let held) {
                throw Self.held(held)
            }
        }
        let id = key.checkValue
        try session.output.done(
            ["MainKey     \(id)", "protection  \(kinds.words)"],
            json: .mainKey("init", id, [("protections", kinds.json)]))
        if !noPIN { session.noteProtection(ofMainKey: kinds, keeper) }
        if present == nil, !keystore.noPassphrase { session.noteProtection(isProtected: keeper.isProtected) }
        session.output.hint("make a copy of the key: keytool mainkey export \(id) -o FILE")
    }

    private static func held(_ owner: Owner) -> Failure {
        Failure(
            .exists, "the keystore already holds the MainKey \(owner.id)",
            hints: "--another makes a second one, for another login")
    }

    private func newProtection(_ session: Session) throws -> MainKeyKeeper.NewProtection {
        if noPIN { return .clear }
        do {
            let secret = try NewPINOptions.create(
                pin, weak: keystore.weakOk ? .accept : .ask, session, empty: .isNone)
            return secret.count == 0 ? .clear : .pin(secret)
        } catch SecretError.none {
            // Nobody can be asked: the command says afterwards what that means.
            return .clear
        }
    }
}
