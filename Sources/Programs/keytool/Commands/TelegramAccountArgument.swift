import ArgumentParser
import Console
import Keystore
import MessengerKeeping
import Telegram

/// The account that a command is about.
struct TelegramAccountArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The account. Optional if the keystore holds only one.", valueName: "account"))
    var id: KeyID?

    /// The account that was named, or the only one there is.
    /// - Throws: `TelegramKeyError.noAccount`, `KeystoreError`, `UsageFailure` if there are several.
    func account(in keeper: TelegramKeeper) throws -> TelegramAccount {
        guard let id else { return try keeper.onlyAccount() }
        guard try keeper.ids().contains(id) else { throw TelegramKeyError.noAccount(id) }
        return try keeper.account(id)
    }
}

extension TelegramKeeper {
    /// - Throws: `TelegramKeyError.noAccounts`, `KeystoreError`, `UsageFailure` if there are several.
    func onlyAccount() throws -> TelegramAccount {
        try account(
            try ids().onlyOne(
                "Telegram accounts", named: \.description, orAbsent: TelegramKeyError.noAccounts))
    }
}

/// Why the keystore has no such key.
enum TelegramKeyError: Error {
    /// The keystore holds no account of Telegram.
    case noAccounts
    case noAccount(KeyID)
    /// No account has a key of this ID.
    case noKey(KeyID)
}

extension Session {
    /// The accounts of Telegram in the keystore.
    /// - Throws: `TelegramKeyError.noAccounts` if there is no keystore.
    func telegram(_ passphrase: SecretOptions<KeystorePassphrase>) throws -> TelegramKeeper {
        guard let keystore = try madeKeystore(passphrase) else { throw TelegramKeyError.noAccounts }
        return TelegramKeeper(keystore)
    }
}
