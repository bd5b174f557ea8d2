import CommandLine
import Console
import Encodings
import Threema
import ThreemaSafe

/// The differences of two documents, for people and as JSON. The second one is that of the keystore.
struct DifferenceWords {
    private let difference: DocumentDifference

    init(_ difference: DocumentDifference) {
        self.difference = difference
    }

    /// - Parameters:
    ///   - other: the first document, for example "the backup".
    ///   - this: the second one.
    func lines(other: String, this: String = "the keystore") -> [String] {
        let contacts =
            difference.addedContacts.map { "\($0.label): only in \(this)" }
            + difference.removedContacts.map { "\($0.label): only in \(other)" }
            + difference.changedContacts.map { change in
                "\(change.after.label): "
                    + Self.words(change.fields) { field in
                        field == .level
                            ? "level \(change.before.level.shown) in \(other), \(change.after.level.shown) in \(this)"
                            : field.words
                    }
            }
        let groups =
            difference.addedGroups.map { "\($0.label): only in \(this)" }
            + difference.removedGroups.map { "\($0.label): only in \(other)" }
            + difference.changedGroups.map { "\($0.after.label): " + Self.words($0.fields, \.words) }
        let lists =
            difference.addedLists.map { "\($0.label): only in \(this)" }
            + difference.removedLists.map { "\($0.label): only in \(other)" }
            + difference.changedLists.map { "\($0.after.label): " + Self.words($0.fields, \.words) }
        let nickname = difference.changedNickname.map {
            "nickname: \(Self.quoted($0.before)) in \(other), \(Self.quoted($0.after)) in \(this)"
        }
        let others = changedParts.filter { nickname == nil || $0 != DocumentDifference.Part.nickname.words }
        return contacts + groups + lists + (nickname.map { [$0] } ?? []) + others.map { "\($0): different" }
    }

    private static func quoted(_ text: String) -> String { text.isEmpty ? "none" : "\"\(text.printable)\"" }

    /// What differs outside of contacts, groups and lists.
    var changedParts: [String] {
        Self.inOrder(difference.changedParts).map(\.words) + difference.changedFlags.map(\.words)
    }

    /// The same for programs.
    var changedPartsJSON: JSONValue {
        let names =
            Self.inOrder(difference.changedParts).map(\.name) + difference.changedFlags.map(\.jsonName)
        return .array(names.map { .string($0) })
    }

    /// - Parameters:
    ///   - added: the name of the member for what only the second document has.
    ///   - removed: the same of the first document.
    func json(
        added: String = "only_in_keystore", removed: String = "only_in_other"
    ) -> [(String, JSONValue?)] {
        func entries<Entry, Field: TwoNames & CaseIterable & Hashable>(
            _ new: [Entry], _ old: [Entry], _ changed: [DocumentDifference.Change<Entry, Field>],
            name: (Entry) -> [(String, JSONValue?)]
        ) -> JSONValue {
            let changes = changed.map { change in
                let fields = Self.inOrder(change.fields).map { JSONValue.string($0.name) }
                return JSONValue.members(name(change.after) + [("fields", .array(fields))])
            }
            return .members([
                (added, .array(new.map { .members(name($0)) })), (removed, .array(old.map { .members(name($0)) })),
                ("changed", .array(changes)),
            ])
        }
        let contacts = entries(difference.addedContacts, difference.removedContacts, difference.changedContacts) {
            [("id", .string($0.identity))]
        }
        let groups = entries(difference.addedGroups, difference.removedGroups, difference.changedGroups) {
            [("id", .string($0.id)), ("creator", .string($0.creator)), ("name", .string($0.name))]
        }
        let lists = entries(difference.addedLists, difference.removedLists, difference.changedLists) {
            [("id", $0.id.map { .string($0) }), ("name", .string($0.name))]
        }
        let nickname = difference.changedNickname.map { change -> JSONValue in
            ["before": .string(change.before), "after": .string(change.after)]
        }
        return [
            ("contacts", contacts), ("groups", groups), ("distribution_lists", lists), ("changed", changedPartsJSON),
            ("nickname", nickname),
        ]
    }

    private static func words<Field: CaseIterable & Hashable>(
        _ fields: Set<Field>, _ words: (Field) -> String
    ) -> String {
        inOrder(fields).map(words).joined(separator: ", ")
    }

    private static func inOrder<Field: CaseIterable & Hashable>(_ fields: Set<Field>) -> [Field] {
        Field.allCases.filter { fields.contains($0) }
    }
}

extension SafeContact {
    /// Its ID and name for a line: "contact ABCD1234 (Anna Blum)".
    fileprivate var label: String {
        "contact \(identity.printable)" + (displayName.isEmpty ? "" : " (\(displayName.printable))")
    }
}

extension SafeGroup {
    fileprivate var label: String { "group \(name.isEmpty ? id.printable : name.printable) of \(creator.printable)" }
}

extension SafeDistributionList {
    fileprivate var label: String { "list \(name.isEmpty ? (id ?? "").printable : name.printable)" }
}

extension DocumentDifference.ContactField: TwoNames {
    var names: (words: String, json: String) {
        switch self {
        case .level: ("other level", "level")
        case .publicKey: ("other public key", "public_key")
        case .names: ("other names", "names")
        case .other: ("other details", "other")
        }
    }
}

extension DocumentDifference.GroupField: TwoNames {
    var names: (words: String, json: String) {
        switch self {
        case .name: ("other name", "name")
        case .members: ("other members", "members")
        case .other: ("other details", "other")
        }
    }
}

extension DocumentDifference.Part: TwoNames {
    var names: (words: String, json: String) {
        switch self {
        case .nickname: ("nickname", "nickname")
        case .picture: ("picture", "picture")
        case .pictureAudience: ("who may see the picture", "picture_for")
        case .links: ("links", "links")
        case .blockedContacts: ("blocked contacts", "blocked")
        case .settings: ("other settings", "settings")
        case .other: ("fields that keytool does not know", "other")
        }
    }
}
