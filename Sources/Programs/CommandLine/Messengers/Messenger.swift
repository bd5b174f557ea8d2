package import ArgumentParser
import Console
package import Encodings
package import Keystore

/// A messenger whose identities the keystore holds, as far as every program has to know it: how an identity is named,
/// and what reads its records.
package protocol Messenger: SendableMetatype {
    /// How an identity is named on the command line.
    associatedtype ID: ExpressibleByArgument & CustomStringConvertible & Equatable & Sendable
    /// Reads and writes the records of its identities.
    associatedtype Keeper

    /// The name of its noun, which is that of its directory in the keystore.
    static var name: String { get }
    static var words: MessengerWords { get }

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
}

/// What is said of a messenger's identities.
package struct MessengerWords {
    /// What an identity is called: `Telegram account`.
    package let title: String
    /// Several of them.
    package let titles: String
    /// The same as a sentence begins that needs no name of a messenger: `The account`.
    package let subject: String
    /// What stands for an ID in the help.
    package let placeholder: String
    /// How to get a first identity.
    package let beginning: String
    /// The reason of the error that an identity is missing.
    package let absence: String
    /// The verb that lists the identities, and the JSON member that holds them.
    package let listing: (verb: String, member: String)
    /// How values are written, by the names that stand for them in the help.
    package let forms: [String: String]

    package init(
        title: String, titles: String, subject: String, placeholder: String, beginning: String,
        absence: String = "no_account", listing: (verb: String, member: String) = ("list", "accounts"),
        forms: [String: String]
    ) {
        self.title = title
        self.titles = titles
        self.subject = subject
        self.placeholder = placeholder
        self.beginning = beginning
        self.absence = absence
        self.listing = listing
        self.forms = forms
    }
}

extension Messenger {
    package static func isNamed(_ id: ID, by typed: ID) -> Bool { id == typed }

    package static func completion(of id: ID, after prefix: String) -> String { id.description }

    /// The IDs of all identities. Nothing is decrypted. Directories with other names are skipped.
    package static func ids(in keystore: OpenKeystore) throws -> [ID] {
        try keystore.identities().compactMap(id(of:))
    }

    /// An ID as the keystore spells it. Hexadecimal digits may be typed in either case.
    package static func spelled(_ id: String) -> String? { ID(argument: id).map { owner($0).id } }

    /// A result of one of its verbs.
    package static func result(_ verb: String, _ members: [(String, JSONValue?)]) -> JSONValue {
        .result("\(name) \(verb)", [("messenger", .string(name))] + members)
    }
}
