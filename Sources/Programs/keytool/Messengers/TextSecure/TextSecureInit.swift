import ArgumentParser
import CommandLine
import Console
import MessengerKeeping
import SecureMemory
import TextSecure

struct TextSecureInit: Verb {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Make a TextSecure account with all of its keys.",
        discussion: """
            Makes password, signaling key, identity key, registration ID and prekeys, and stores them, before any of \
            them can be sent. Shows fingerprint and QR code of the public key, as keytool textsecure fingerprint does. \
            An account that is held is never replaced.
            """)

    @OptionGroup var globals: GlobalOptions

    // The numbers that there are would be the wrong ones to offer.
    @Option(
        help: ArgumentHelp("The phone number, with a plus sign and the country code.", valueName: "phone-number"),
        completion: .list([]))
    var number: InternationalNumber

    @Option(help: ArgumentHelp("The address of the server, for later requests.", valueName: "url"))
    var server: TextSecureServer?

    @OptionGroup var keystore: NewKeystoreOptions

    func run(_ session: Session) throws {
        // Before a keystore is created.
        let account = try TextSecureAccount.register(number.number, server: server?.address, at: WallClock.now())
        let keeper = TextSecureKeeper(try session.newKeystore(keystore))
        try keeper.add(account)
        // The account is stored, so a QR code that cannot be drawn is no reason to fail.
        let drawing = Result { TerminalSize.isTerminal ? try account.identity.publicKey.drawing(.auto).lines : [] }
        try session.output.done(
            drawn: ((try? drawing.get()) ?? []) + account.lines.map(StyledLine.init),
            json: TextSecureMessenger.result("init", account.members))
        if case .failure(let error) = drawing {
            let reason = error is SharedLibrary.Failure ? "libqrencode" : "a larger terminal"
            session.output.hint("the QR code needs \(reason): keytool textsecure fingerprint \(account.number)")
        }
        if !keystore.noPassphrase { session.noteProtection(isProtected: keeper.isProtected) }
        session.output.hint("make a copy: keytool textsecure export \(account.number) -o FILE")
    }
}

/// A number as it has to be given for a new account: the plus sign tells that its first digits are the country code.
struct InternationalNumber: ExpressibleByArgument {
    let number: AccountNumber

    init?(argument: String) {
        guard let number = AccountNumber(argument) else { return nil }
        self.number = number
    }
}
