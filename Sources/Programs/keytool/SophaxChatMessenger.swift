import Console
import Encodings
import Keystore
import MessengerKeeping
import SophaxChat

/// SophaxChat's identities among those of all messengers.
enum SophaxChatMessenger: Messenger {
    static let name = Owner.sophaxChat

    static func summary(of owner: Owner, in session: Session, _ keystore: OpenKeystore) throws -> MessengerSummary {
        guard let id = owner.sophaxChat else { throw KeystoreError.noIdentity(owner) }
        let summary = try SophaxKeeper(keystore).summary(id)
        // The members begin with the ID, which is told for every messenger.
        return MessengerSummary(
            line: summary.facts, lines: summary.lines, members: Array(summary.members.dropFirst()))
    }

    static func remove(_ owner: Owner, in session: Session, _ keystore: OpenKeystore) throws {
        try keystore.remove(owner, wait: LockedIdentity.usualWait)
    }
}
