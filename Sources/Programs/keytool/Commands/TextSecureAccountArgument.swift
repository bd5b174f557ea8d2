import ArgumentParser
import Console
import Keystore
import MessengerKeeping
import TextSecure

/// The account that a command is about.
struct TextSecureAccountArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The account, by its phone number. Optional if the keystore holds only one.", valueName: "phone-number"))
    var number: AccountNumber?

    /// The account that was named, or the only one there is.
    /// - Throws: `TextSecureNumberError`; `UsageFailure` if there are several; what the keystore throws.
    func account(in keeper: TextSecureKeeper) throws -> TextSecureAccount {
        try keeper.account(number(in: keeper), at: WallClock.now())
    }

    /// The same, without opening it.
    func number(in keeper: TextSecureKeeper) throws -> AccountNumber {
        let held = try keeper.numbers()
        guard let number else {
            return try held.onlyOne(
                "TextSecure accounts", named: \.text, orAbsent: TextSecureNumberError.noAccounts)
        }
        guard held.contains(number) else { throw TextSecureNumberError.noAccount(number) }
        return number
    }
}

/// Why the keystore has no such account.
enum TextSecureNumberError: Error {
    /// The keystore holds no account of TextSecure.
    case noAccounts
    case noAccount(AccountNumber)
}

extension Session {
    /// The accounts of TextSecure in the keystore.
    /// - Throws: `TextSecureNumberError.noAccounts` if there is no keystore.
    func textSecure(_ passphrase: SecretOptions<KeystorePassphrase>) throws -> TextSecureKeeper {
        guard let keystore = try madeKeystore(passphrase) else { throw TextSecureNumberError.noAccounts }
        return TextSecureKeeper(keystore)
    }
}
