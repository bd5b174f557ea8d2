package import ArgumentParser
package import Encodings
package import Keystore
package import MessengerKeeping

/// A messenger with a noun of its own in keytool: what the verbs of all messengers need of it. Each has one line in the
/// registry.
package protocol KeptMessenger: Messenger {
    /// The program that has its noun.
    associatedtype Root: RootCommand

    /// Whether its owners are identities, which are listed and counted; true if it does not say.
    static var holdsIdentities: Bool { get }
    /// The help of its noun.
    static var nounWords: NounWords { get }
    /// The commands of the program that only this messenger has: its noun, as a rule.
    static var nouns: [any ParsableCommand.Type] { get }
    /// The verbs of its noun, in the order of the help.
    static var verbs: [any ParsableCommand.Type] { get }

    /// - Throws: `KeystoreError.noIdentity`, `.damaged`; what the keeper throws.
    static func summary(of id: ID, in keeper: Keeper) throws -> MessengerSummary
    /// What is lost with an identity. Damaged records are no reason to throw.
    static func removal(of owner: Owner, _ id: ID, in keeper: Keeper) throws -> Removal
    /// Removes an identity with all of its records at once, and what is held of it elsewhere.
    static func remove(_ id: ID, in keeper: Keeper, _ keystore: OpenKeystore, _ session: Session) throws

    /// How an archive checks its records.
    static var archived: ArchivedMessenger { get }
    /// What an archive takes back that replaces an identity, in one sentence; nil if nothing is worth a warning.
    static var takenBack: String? { get }
    /// What an archive's README says of its records: lines of at most 80 columns.
    static var readme: String { get }
}

/// What is said of a noun.
package struct NounWords {
    package let abstract: String
    package let discussion: String
    /// What other programs call its verbs.
    package let commonNames: [(String, String)]
    /// Verbs that the program keytool-lab has.
    package let inLaboratory: [String]

    package init(
        abstract: String, discussion: String = "", commonNames: [(String, String)], inLaboratory: [String] = []
    ) {
        self.abstract = abstract
        self.discussion = discussion
        self.commonNames = commonNames
        self.inLaboratory = inLaboratory
    }
}

/// What is told of an identity.
package struct MessengerSummary {
    /// For a list, behind its name.
    package let line: String
    /// For itself.
    package let lines: [String]
    /// For programs, behind its ID.
    package let members: [(String, JSONValue?)]
    /// For programs, if it is told alone; nil for messenger, ID and `members`.
    package let alone: [(String, JSONValue?)]?
    /// For doctor, which names no identity: what the user has to do about it; nil for nothing.
    package let warning: String?

    package init(
        line: String, lines: [String], members: [(String, JSONValue?)], alone: [(String, JSONValue?)]? = nil,
        warning: String? = nil
    ) {
        self.line = line
        self.lines = lines
        self.members = members
        self.alone = alone
        self.warning = warning
    }
}

/// What is said before an identity is removed, and afterwards.
package struct Removal {
    package let warnings: [String]
    /// What goes: "its keys".
    package let lost: String
    /// For programs.
    package let members: [(String, JSONValue?)]

    package init(warnings: [String], lost: String, members: [(String, JSONValue?)]) {
        self.warnings = warnings
        self.lost = lost
        self.members = members
    }
}

extension KeptMessenger {
    package static var holdsIdentities: Bool { true }

    package static var takenBack: String? { nil }

    package static var nouns: [any ParsableCommand.Type] { [AccountNoun<Self>.self] }

    package static func removal(of owner: Owner, _ id: ID, in keeper: Keeper) -> Removal { Removal(of: owner) }

    package static func remove(_ id: ID, in keeper: Keeper, _ keystore: OpenKeystore, _ session: Session) throws {
        try keystore.remove(owner(id), wait: LockedIdentity.usualWait)
    }
}

extension Removal {
    /// Of an identity whose ID does not matter.
    package init(of owner: Owner) {
        self.init(
            warnings: ["without an exported file or an archive, the keys of \(owner.name) are lost for ever"],
            lost: "its keys", members: owner.members + [("removed", true)])
    }
}

/// The noun of a messenger.
package struct AccountNoun<M: KeptMessenger>: Noun {
    package static var name: String { M.name }
    package static var abstract: String { M.nounWords.abstract }
    package static var discussion: String { M.nounWords.discussion }
    package static var verbs: [any ParsableCommand.Type] { M.verbs }

    package typealias Root = M.Root

    @OptionGroup package var globals: GlobalOptions

    package init() {}
}
