import Console
import Encodings
import Keystore
import MessengerKeeping
import TextSecure

/// TextSecure's accounts among the identities of all messengers.
enum TextSecureMessenger: Messenger {
    static let name = Owner.textSecure

    static func summary(of owner: Owner, in session: Session, _ keystore: OpenKeystore) throws -> MessengerSummary {
        guard let number = owner.textSecure else { throw KeystoreError.noIdentity(owner) }
        let account = try TextSecureKeeper(keystore).account(number, at: WallClock.now())
        // The members begin with the ID, which is told for every messenger.
        return MessengerSummary(
            line: account.facts, lines: account.lines, members: Array(account.members.dropFirst()))
    }

    static func remove(_ owner: Owner, in session: Session, _ keystore: OpenKeystore) throws {
        try keystore.remove(owner, wait: LockedIdentity.usualWait)
    }
}
