import Console
import Encodings
import Keystore
import ThreemaRecords

/// What the verbs of the noun `id`, and `doctor`, need of a messenger beside Threema.
protocol Messenger: SendableMetatype {
    /// The name of its noun, which is that of its directory in the keystore.
    static var name: String { get }

    /// - Throws: `KeystoreError.noIdentity`, `.damaged`.
    static func summary(of owner: Owner, in session: Session, _ keystore: OpenKeystore) throws -> MessengerSummary

    /// Removes an identity with all of its records at once, and what is held of it elsewhere.
    static func remove(_ owner: Owner, in session: Session, _ keystore: OpenKeystore) throws
}

/// What is told of an identity of a messenger beside Threema.
struct MessengerSummary {
    /// For a list, behind its name.
    let line: String
    /// For itself.
    let lines: [String]
    /// For programs.
    let members: [(String, JSONValue?)]
}

enum Messengers {
    static let all: [any Messenger.Type] = [
        TelegramMessenger.self, TextSecureMessenger.self, MainKeyMessenger.self, SophaxChatMessenger.self,
    ]

    /// The messenger of an identity. A later version of keytool may have added one that this version does not know.
    static func messenger(of owner: Owner) -> any Messenger.Type {
        all.first { $0.name == owner.messenger } ?? UnknownMessenger.self
    }

    /// Whether this version can read the identities of a messenger beside Threema.
    static func isSupported(_ name: String) -> Bool { all.contains { $0.name == name } }

    /// The identities of the messengers beside Threema.
    static func identities(in keystore: OpenKeystore) throws -> [Owner] {
        try keystore.identities().filter { $0.messenger != Owner.threema }
    }

    /// How many identities each messenger has, Threema's first.
    /// - Parameter owners: of a keystore; one that is being converted may be there twice.
    static func counts(_ owners: [Owner]) -> [(messenger: String, count: Int)] {
        let identities = Set(owners).filter { $0.messenger != Owner.threema || $0.threemaID != nil }
        let counts = Dictionary(grouping: identities, by: \.messenger).mapValues(\.count)
        let names = counts.keys.sorted()
        return (names.filter { $0 == Owner.threema } + names.filter { $0 != Owner.threema }).map { ($0, counts[$0]!) }
    }

    static func summary(of owner: Owner, in session: Session, _ keystore: OpenKeystore) throws -> MessengerSummary {
        try messenger(of: owner).summary(of: owner, in: session, keystore)
    }
}

/// A messenger that this version does not know.
private enum UnknownMessenger: Messenger {
    static let name = ""
    private static let words = "of a messenger that this keytool does not support"

    static func summary(of owner: Owner, in session: Session, _ keystore: OpenKeystore) throws -> MessengerSummary {
        _ = try keystore.identity(owner)
        return MessengerSummary(line: words, lines: [words], members: [("supported", false)])
    }

    static func remove(_ owner: Owner, in session: Session, _ keystore: OpenKeystore) throws {
        try keystore.remove(owner, wait: LockedIdentity.usualWait)
    }
}
