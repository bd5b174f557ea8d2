package import Keystore
package import MessengerKeeping
package import Telegram

/// Telegram: accounts, which are named by the key for their main data centre.
package enum TelegramMessenger: Messenger {
    package static let name = Owner.telegram

    package static let words = MessengerWords(
        title: "Telegram account", titles: "Telegram accounts", subject: "The account", placeholder: "account",
        beginning: "keytool telegram import TDATA",
        forms: [
            "account": "an account has 16 characters, 0-9 and a-f; keytool telegram list shows them",
            "key-id": "the ID of a key has 16 characters, 0-9 and a-f; keytool telegram show shows them",
            "bytes8": "16 characters, 0-9 and a-f",
        ])

    package static func owner(_ id: KeyID) -> Owner { .telegram(id) }

    package static func id(of owner: Owner) -> KeyID? { owner.telegram }

    package static func keeper(of keystore: OpenKeystore, _ session: Session) -> TelegramKeeper {
        TelegramKeeper(keystore)
    }
}
