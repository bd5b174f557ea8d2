package import Keystore
package import MessengerKeeping
package import TextSecure

/// TextSecure: accounts, which are named by their phone numbers.
package enum TextSecureMessenger: Messenger {
    package static let name = Owner.textSecure

    package static let words = MessengerWords(
        title: "TextSecure account", titles: "TextSecure accounts", subject: "The account, by its phone number",
        placeholder: "phone-number",
        beginning: "keytool textsecure init --number NUMBER makes one",
        forms: [
            "phone-number":
                "country code and number, 7 to 15 digits; a new account takes it with the plus sign before them",
            "public-key": "44 characters of Base64",
        ])

    package static func owner(_ id: AccountNumber) -> Owner { .textSecure(id) }

    package static func id(of owner: Owner) -> AccountNumber? { owner.textSecure }

    package static func completion(of id: AccountNumber, after prefix: String) -> String {
        String(id.text.dropFirst(prefix.hasPrefix("+") ? 0 : 1))
    }

    package static func keeper(of keystore: OpenKeystore, _ session: Session) -> TextSecureKeeper {
        TextSecureKeeper(keystore)
    }
}
