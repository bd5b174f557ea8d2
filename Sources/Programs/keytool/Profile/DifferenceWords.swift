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
            Self.inOrder(difference.changedParts).map(\.jsonName) + difference.changedFlags.map(\.jsonName)
        return .array(names.map { .string($0) })
    }

    /// - Parameters:
    ///   - added: the name of the member for what only the second document has.
    ///   - removed: the same of the first document.
    func json(
        added: String = "only_in_keystore", removed: String = "only_in_other"
    ) -> [(String, JSONValue?)] {
        let names = (added, removed)
        return [
            (
                "contacts",
                Self.json(names, difference.addedContacts, difference.removedContacts, difference.changedContacts) {
                    [("id", .string($0.identity))]
                } fields: {
                    Self.inOrder($0).map(\.jsonName)
                }
            ),
            (
                "groups",
                Self.json(names, difference.addedGroups, difference.removedGroups, difference.changedGroups) {
                    [("id", .string($0.id)), ("creator", .string($0.creator)), ("name", .string($0.name))]
                } fields: {
                    Self.inOrder($0).map(\.jsonName)
                }
            ),
            (
                "distribution_lists",
                Self.json(names, difference.addedLists, difference.removedLists, difference.changedLists) {
                    [("id", $0.id.map { .string($0) }), ("name", .string($0.name))]
                } fields: {
                    Self.inOrder($0).map(\.jsonName)
                }
            ),
            ("changed", changedPartsJSON),
            (
                "nickname",
                difference.changedNickname.map { change in
                    ["before": .string(change.before), "after": .string(change.after)]
                }
            ),
        ]
    }

    private static func json<Entry, Field>(
        _ names: (added: String, removed: String), _ added: [Entry], _ removed: [Entry],
        _ changed: [DocumentDifference.Change<Entry, Field>],
        name: (Entry) -> [(String, JSONValue?)], fields: (Set<Field>) -> [String]
    ) -> JSONValue {
        .members([
            (names.added, .array(added.map { .members(name($0)) })),
            (names.removed, .array(removed.map { .members(name($0)) })),
            (
                "changed",
                .array(
                    changed.map { change in
                        .members(name(change.after) + [("fields", .array(fields(change.fields).map { .string($0) }))])
                    })
            ),
        ])
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

extension DocumentDifference.ContactField {
    fileprivate var words: String {
        switch self {
        case .level: "other level"
        case .publicKey: "other public key"
        case .names: "other names"
        case .other: "other details"
        }
    }

    fileprivate var jsonName: String {
        switch self {
        case .level: "level"
        case .publicKey: "public_key"
        case .names: "names"
        case .other: "other"
        }
    }
}

extension DocumentDifference.GroupField {
    fileprivate var words: String {
        switch self {
        case .name: "other name"
        case .members: "other members"
        case .other: "other details"
        }
    }

    fileprivate var jsonName: String {
        switch self {
        case .name: "name"
        case .members: "members"
        case .other: "other"
        }
    }
}

extension DocumentDifference.Part {
    fileprivate var words: String {
        switch self {
        case .nickname: "nickname"
        case .picture: "picture"
        case .pictureAudience: "who may see the picture"
        case .links: "links"
        case .blockedContacts: "blocked contacts"
        case .settings: "other settings"
        case .other: "fields that keytool does not know"
        }
    }

    fileprivate var jsonName: String {
        switch self {
        case .nickname: "nickname"
        case .picture: "picture"
        case .pictureAudience: "picture_for"
        case .links: "links"
        case .blockedContacts: "blocked"
        case .settings: "settings"
        case .other: "other"
        }
    }
}
