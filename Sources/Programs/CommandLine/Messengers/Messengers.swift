import Encodings
package import Keystore
package import MessengerKeeping
import ThreemaRecords

/// The registry: from it come the nouns, the verbs of the nouns `id` and `archive`, `doctor` and completion.
package struct Messengers: Sendable {
    /// Threema's first.
    package let all: [any KeptMessenger.Type]

    package init(_ all: [any KeptMessenger.Type]) { self.all = all }

    /// The other messengers.
    package var others: [any KeptMessenger.Type] { all.filter { $0.name != Owner.threema && $0.holdsIdentities } }

    /// Whether an owner is an identity, also of a messenger that this version does not know.
    package func isIdentity(_ owner: Owner) -> Bool { messenger(of: owner)?.holdsIdentities ?? true }

    /// Whether this version can read the identities of a messenger.
    package func isSupported(_ name: String) -> Bool { all.contains { $0.name == name } }

    /// The messenger of an identity. A later version of keytool may have added one that this version does not know.
    package func messenger(of owner: Owner) -> (any KeptMessenger.Type)? { all.first { $0.name == owner.messenger } }

    /// - Throws: `KeystoreError.noIdentity`, `.damaged`.
    package func summary(of owner: Owner, in session: Session, _ keystore: OpenKeystore) throws -> MessengerSummary {
        if let messenger = messenger(of: owner) { return try messenger.summary(of: owner, in: session, keystore) }
        _ = try keystore.identity(owner)
        let words = "of a messenger that this keytool does not support"
        return MessengerSummary(line: words, lines: [words], members: [("supported", false)])
    }

    /// What is lost with an identity, also with one that has damaged records.
    /// - Throws: `KeystoreError.noIdentity`.
    package func removal(of owner: Owner, in session: Session, _ keystore: OpenKeystore) throws -> Removal {
        if let messenger = messenger(of: owner) { return try messenger.removal(of: owner, in: session, keystore) }
        _ = try keystore.identity(owner)
        return Removal(of: owner)
    }

    /// Removes an identity with all of its records at once, and what is held of it elsewhere.
    package func remove(_ owner: Owner, in session: Session, _ keystore: OpenKeystore) throws {
        guard let messenger = messenger(of: owner) else {
            return try keystore.remove(owner, wait: LockedIdentity.usualWait)
        }
        try messenger.remove(owner, in: session, keystore)
    }

    /// The messengers whose records this program can check, and so import from an archive. One that is missing here is
    /// exported with a warning, and refused by an import.
    package var archived: ArchivedMessengers { ArchivedMessengers(all.map { $0.archived }) }

    /// How values are written, by the names that stand for them in the help.
    package var forms: [String: String] { all.reduce(into: [:]) { $0.merge($1.words.forms) { first, _ in first } } }

    /// What other programs call the verbs of a messenger's own noun.
    package var commonNames: [(noun: String, verbs: [(names: String, meaning: String)])] {
        all.filter { $0.name != Owner.threema }.map { messenger in
            (messenger.name, messenger.nounWords.commonNames.map { ($0, $1) })
        }
    }

    /// See `KeptMessenger.takenBack`.
    package func takenBack(with owner: Owner) -> String? {
        messenger(of: owner)?.takenBack
    }

    /// The verbs of the program keytool-lab.
    package var inLaboratory: [String] {
        all.flatMap { messenger in messenger.nounWords.inLaboratory.map { "keytool-lab \(messenger.name) \($0)" } }
    }

    /// How many identities each messenger has, Threema's first.
    /// - Parameter owners: of a keystore.
    package static func counts(_ owners: [Owner]) -> [(messenger: String, count: Int)] {
        let identities = owners.filter {
            $0.messenger != Owner.onPrem && ($0.messenger != Owner.threema || $0.threemaID != nil)
        }
        let counts = Dictionary(grouping: identities, by: \.messenger).mapValues(\.count)
        let names = counts.keys.sorted()
        return (names.filter { $0 == Owner.threema } + names.filter { $0 != Owner.threema }).map { ($0, counts[$0]!) }
    }
}

// The same without the types of an ID and a keeper.
extension KeptMessenger {
    fileprivate static func summary(
        of owner: Owner, in session: Session, _ keystore: OpenKeystore
    ) throws -> MessengerSummary {
        try summary(of: try held(owner), in: keeper(of: keystore, session))
    }

    fileprivate static func removal(of owner: Owner, in session: Session, _ keystore: OpenKeystore) throws -> Removal {
        let id = try held(owner)
        // An identity with damaged records can be removed, too.
        _ = try keystore.identity(owner)
        return try removal(of: owner, id, in: keeper(of: keystore, session))
    }

    fileprivate static func remove(_ owner: Owner, in session: Session, _ keystore: OpenKeystore) throws {
        try remove(try held(owner), in: keeper(of: keystore, session), keystore, session)
    }

    private static func held(_ owner: Owner) throws -> ID {
        guard let id = id(of: owner) else { throw KeystoreError.noIdentity(owner) }
        return id
    }
}
