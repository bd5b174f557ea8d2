import ArgumentParser
import Console
import Encodings
import Keystore
import MessengerKeeping

/// A messenger whose identities the keystore holds: what the verbs of all messengers need of it. Each has one file in
/// `Messengers/` and one line in `Messengers.shipped`.
protocol KeptMessenger: SendableMetatype {
    /// How an identity is named on the command line.
    associatedtype ID: ExpressibleByArgument & CustomStringConvertible & Equatable & Sendable
    /// Reads and writes the records of its identities.
    associatedtype Keeper
    /// The program that has its noun.
    associatedtype Root: RootCommand = Keytool

    /// The name of its noun, which is that of its directory in the keystore.
    static var name: String { get }
    static var words: MessengerWords { get }
    /// The commands of the program that only this messenger has: its noun, as a rule.
    static var nouns: [any ParsableCommand.Type] { get }
    /// The verbs of its noun, in the order of the help.
    static var verbs: [any ParsableCommand.Type] { get }

    static func owner(_ id: ID) -> Owner
    /// - Returns: nil for an owner of another messenger, and for a directory with another name than an ID.
    static func id(of owner: Owner) -> ID?
    /// Whether a typed ID means this one; equality, unless IDs may be shortened.
    static func isNamed(_ id: ID, by typed: ID) -> Bool
    /// Completes an ID on a shell's command line.
    /// - Parameter prefix: what there is of the word.
    static func completion(of id: ID, after prefix: String) -> String

    /// Opens nothing.
    static func keeper(of keystore: OpenKeystore, _ session: Session) -> Keeper
    /// - Throws: `KeystoreError.noIdentity`, `.damaged`; what the keeper throws.
    static func summary(of id: ID, in keeper: Keeper) throws -> MessengerSummary
    /// What is lost with an identity. Damaged records are no reason to throw.
    static func removal(of owner: Owner, _ id: ID, in keeper: Keeper) throws -> Removal
    /// Removes an identity with all of its records at once, and what is held of it elsewhere.
    static func remove(_ id: ID, in keeper: Keeper, _ keystore: OpenKeystore, _ session: Session) throws

    /// How an archive checks its records.
    static var archived: ArchivedMessenger { get }
    /// What an archive's README says of its records: lines of at most 80 columns.
    static var readme: String { get }
}

/// What is said of a messenger in every verb.
struct MessengerWords {
    /// What an identity is called: `Telegram account`.
    let title: String
    /// Several of them.
    let titles: String
    /// The same as a sentence begins that needs no name of a messenger: `The account`.
    let subject: String
    /// What stands for an ID in the help.
    let placeholder: String
    /// Of its noun.
    let abstract: String
    /// Of its noun.
    var discussion = ""
    /// How to get a first identity.
    let beginning: String
    /// The reason of the error that an identity is missing.
    var absence = "no_account"
    /// The verb that lists the identities, and the JSON member that holds them.
    var listing = (verb: "list", member: "accounts")
    /// How values are written, by the names that stand for them in the help.
    let forms: [String: String]
    /// What other programs call its verbs.
    let commonNames: [(String, String)]
}

/// What is told of an identity.
struct MessengerSummary {
    /// For a list, behind its name.
    let line: String
    /// For itself.
    let lines: [String]
    /// For programs, behind its ID.
    let members: [(String, JSONValue?)]
    /// For programs, if it is told alone; nil for messenger, ID and `members`.
    var alone: [(String, JSONValue?)]?
}

/// What is said before an identity is removed, and afterwards.
struct Removal {
    let warnings: [String]
    /// What goes: "its keys".
    let lost: String
    /// For programs.
    let members: [(String, JSONValue?)]
}

extension KeptMessenger {
    static var nouns: [any ParsableCommand.Type] { [AccountNoun<Self>.self] }

    static func isNamed(_ id: ID, by typed: ID) -> Bool { id == typed }

    static func completion(of id: ID, after prefix: String) -> String { id.description }

    static func removal(of owner: Owner, _ id: ID, in keeper: Keeper) -> Removal { Removal(of: owner) }

    static func remove(_ id: ID, in keeper: Keeper, _ keystore: OpenKeystore, _ session: Session) throws {
        try keystore.remove(owner(id), wait: LockedIdentity.usualWait)
    }

    /// The IDs of all identities. Nothing is decrypted. Directories with other names are skipped.
    static func ids(in keystore: OpenKeystore) throws -> [ID] { try keystore.identities().compactMap(id(of:)) }

    /// An ID as the keystore spells it. Hexadecimal digits may be typed in either case.
    static func spelled(_ id: String) -> String? { ID(argument: id).map { owner($0).id } }

    /// A result of one of its verbs.
    static func result(_ verb: String, _ members: [(String, JSONValue?)]) -> JSONValue {
        .result("\(name) \(verb)", [("messenger", .string(name))] + members)
    }
}

extension Removal {
    /// Of an identity whose ID does not matter.
    init(of owner: Owner) {
        self.init(
            warnings: ["without an exported file or an archive, the keys of \(owner.name) are lost for ever"],
            lost: "its keys", members: owner.members + [("removed", true)])
    }
}

/// The noun of a messenger.
struct AccountNoun<M: KeptMessenger>: Noun {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: M.name, abstract: M.words.abstract, discussion: M.words.discussion, subcommands: M.verbs)
    }

    @ParentCommand var root: M.Root
    @OptionGroup var globals: GlobalOptions
}
