package import Keystore
package import MessengerKeeping
package import SophaxChat

/// SophaxChat: identities, which are named by a digest of their public keys.
package enum SophaxChatMessenger: Messenger {
    package static let name = Owner.sophaxChat

    package static let words = MessengerWords(
        title: "SophaxChat identity", titles: "SophaxChat identities", subject: "The identity",
        placeholder: "peer-id",
        beginning: "keytool sophaxchat init, or keytool sophaxchat import FILE", absence: "no_identity",
        listing: ("list", "identities"),
        forms: ["peer-id": "a peerID has 32 characters, 0-9 and a-f; keytool sophaxchat list shows them"])

    package static func owner(_ id: PeerID) -> Owner { .sophaxChat(id) }

    package static func id(of owner: Owner) -> PeerID? { owner.sophaxChat }

    /// The first 16 digits are enough.
    package static func isNamed(_ id: PeerID, by typed: PeerID) -> Bool { id.description.hasPrefix(typed.description) }

    package static func keeper(of keystore: OpenKeystore, _ session: Session) -> SophaxKeeper {
        SophaxKeeper(keystore)
    }
}
