import Console
import Encodings
import Keystore
import MessengerKeeping
import ProtonMainKey

/// Proton's MainKeys among the identities of all messengers.
enum MainKeyMessenger: Messenger {
    static let name = Owner.mainKey

    static func summary(of owner: Owner, in session: Session, _ keystore: OpenKeystore) throws -> MessengerSummary {
        let (id, keeper) = try open(owner, session, keystore)
        let summary = try keeper.summary(id)
        let until = try keeper.unlockedUntil(id)
        return MessengerSummary(
            line: "protection \(summary.kinds.words)" + (until == nil ? "" : ", unlocked"),
            lines: summary.lines(unlockedUntil: until), members: summary.members(unlockedUntil: until))
    }

    static func remove(_ owner: Owner, in session: Session, _ keystore: OpenKeystore) throws {
        let (id, keeper) = try open(owner, session, keystore)
        if try !keeper.wipe(id) { session.warnOfUnseenKeyring() }
    }

    private static func open(
        _ owner: Owner, _ session: Session, _ keystore: OpenKeystore
    ) throws -> (CheckValue, MainKeyKeeper) {
        guard let id = owner.mainKey else { throw KeystoreError.noIdentity(owner) }
        return (id, session.mainKeys(of: keystore))
    }
}
