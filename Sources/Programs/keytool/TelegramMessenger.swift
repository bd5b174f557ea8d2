import Console
import Encodings
import Keystore
import MessengerKeeping
import Telegram

/// Telegram's accounts among the identities of all messengers.
enum TelegramMessenger: Messenger {
    static let name = Owner.telegram

    static func summary(of owner: Owner, in session: Session, _ keystore: OpenKeystore) throws -> MessengerSummary {
        guard let id = KeyID(owner.id) else { throw KeystoreError.noIdentity(owner) }
        let account = try TelegramKeeper(keystore).account(id)
        // The members begin with the ID, which is told for every messenger.
        return MessengerSummary(
            line: account.facts, lines: account.lines, members: Array(account.members.dropFirst()))
    }

    static func remove(_ owner: Owner, in session: Session, _ keystore: OpenKeystore) throws {
        try keystore.remove(owner, wait: LockedIdentity.usualWait)
    }
}
