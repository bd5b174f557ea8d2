package import Keystore
package import ProtonMainKey
package import SophaxChat
package import Telegram
package import TextSecure

// The directories of the messengers in a keystore. The names are those of the program's nouns.

extension Owner {
    /// The messenger of Proton's MainKeys.
    package static let mainKey = "mainkey"

    /// Cannot fail: the digits of a check value are allowed in an owner's ID.
    package static func mainKey(_ check: CheckValue) -> Owner { Owner(messenger: mainKey, id: check.description)! }

    /// The check value of a MainKey's owner; nil for another owner. Check values are in lower case.
    package var mainKey: CheckValue? {
        guard messenger == Self.mainKey, let check = CheckValue(id), check.description == id else { return nil }
        return check
    }

    /// The messenger of Telegram's accounts.
    package static let telegram = "telegram"

    /// An account is named by the key for its main data centre. Cannot fail: hexadecimal digits are allowed.
    package static func telegram(_ key: KeyID) -> Owner { Owner(messenger: telegram, id: key.description)! }

    /// The key of a Telegram owner; nil for another owner. Hexadecimal digits in upper case would be another name of the
    /// same key.
    package var telegram: KeyID? {
        guard messenger == Self.telegram, let key = KeyID(id), key.description == id else { return nil }
        return key
    }

    /// The messenger of TextSecure's accounts.
    package static let textSecure = "textsecure"

    /// An account is named by the digits of its number. Cannot fail: digits are allowed in an owner's ID.
    package static func textSecure(_ number: AccountNumber) -> Owner {
        Owner(messenger: textSecure, id: String(number.text.dropFirst()))!
    }

    /// The number of a TextSecure owner; nil for another owner.
    package var textSecure: AccountNumber? { messenger == Self.textSecure ? AccountNumber("+" + id) : nil }
}

extension Owner {
    /// The messenger of SophaxChat's identities.
    package static let sophaxChat = "sophaxchat"

    /// An identity is named by the 32 digits of its peerID. Cannot fail: hexadecimal digits are allowed.
    package static func sophaxChat(_ id: PeerID) -> Owner { Owner(messenger: sophaxChat, id: id.description)! }

    /// The peerID of SophaxChat's owner, 32 digits; nil for another owner.
    package var sophaxChat: PeerID? {
        guard messenger == Self.sophaxChat, let peer = PeerID(id), !peer.isShort else { return nil }
        return peer
    }
}
