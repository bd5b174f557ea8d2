internal import Encodings

/// What distinguishes two documents, as values and without words.
///
/// Documents are compared by what they say: a member that is missing equals one that is null or has its default, the
/// entries of lists may come in any order, and who wrote a document (`info.device`) is not compared. Everything else
/// is, also members that this library does not know: so an empty difference means that nothing would be lost.
public struct DocumentDifference: Equatable, Sendable {
    /// Contacts that only the second document has.
    public let addedContacts: [SafeContact]
    /// Contacts that only the first document has.
    public let removedContacts: [SafeContact]
    /// Contacts that differ, in the order of the second document.
    public let changedContacts: [Change<SafeContact, ContactField>]
    /// Groups that only the second document has. Creator and ID identify a group.
    public let addedGroups: [SafeGroup]
    /// Groups that only the first document has.
    public let removedGroups: [SafeGroup]
    /// Groups that differ, in the order of the second document.
    public let changedGroups: [Change<SafeGroup, GroupField>]
    /// Distribution lists that only the second document has.
    public let addedLists: [SafeDistributionList]
    /// Distribution lists that only the first document has.
    public let removedLists: [SafeDistributionList]
    /// Distribution lists that differ, in the order of the second document.
    public let changedLists: [Change<SafeDistributionList, GroupField>]
    /// Parts of the document beside contacts, groups and distribution lists that differ.
    public let changedParts: Set<Part>
    /// The nicknames, if they differ.
    public let changedNickname: TextChange?
    /// The settings that differ, in the order of `SafeSettings.Flag`.
    public let changedFlags: [SafeSettings.Flag]

    /// An entry of both documents.
    public struct Change<Entry: Equatable & Sendable, Field: Hashable & Sendable>: Equatable, Sendable {
        /// The entry in the first document.
        public let before: Entry
        /// The entry in the second document.
        public let after: Entry
        /// The fields of the entry that differ; never empty.
        public let fields: Set<Field>
    }

    /// A text of both documents.
    public struct TextChange: Equatable, Sendable {
        /// In the first document; empty if it has none.
        public let before: String
        /// In the second document; empty if it has none.
        public let after: String
    }

    /// What can differ in a contact.
    public enum ContactField: CaseIterable, Sendable {
        case level
        case publicKey
        /// First name, last name or nickname.
        case names
        /// Times, flags and unknown members.
        case other
    }

    /// What can differ in a group or distribution list.
    public enum GroupField: CaseIterable, Sendable {
        case name
        case members
        /// Times, flags and unknown members.
        case other
    }

    /// What can differ in the rest of a document.
    public enum Part: CaseIterable, Sendable {
        case nickname
        case picture
        case pictureAudience
        case links
        /// `blockedContacts`
        case blockedContacts
        /// The rest of `settings` except the flags: excluded IDs, emojis, unknown members.
        case settings
        /// Members that this library does not know.
        case other
    }

    /// Whether both documents say the same.
    public var isEmpty: Bool {
        addedContacts.isEmpty && removedContacts.isEmpty && changedContacts.isEmpty && addedGroups.isEmpty
            && removedGroups.isEmpty && changedGroups.isEmpty && addedLists.isEmpty && removedLists.isEmpty
            && changedLists.isEmpty && changedParts.isEmpty && changedFlags.isEmpty
    }

    /// Compares two documents, in time proportional to their size.
    public init(from first: SafeDocument, to second: SafeDocument) {
        let contacts = EntryMatch(first.contacts, second.contacts) { [$0.identity] }
        (addedContacts, removedContacts) = (contacts.added, contacts.removed)
        changedContacts = contacts.changed(Self.fields)
        let groups = EntryMatch(first.groups, second.groups) { [$0.creator, $0.id] }
        (addedGroups, removedGroups) = (groups.added, groups.removed)
        changedGroups = groups.changed {
            Self.fields($0.entry, $1.entry, name: "groupname", MemberDefaults.group)
        }
        // Old documents have no IDs of lists.
        let lists = EntryMatch(first.distributionLists, second.distributionLists) {
            $0.id.map { [$0] } ?? ["", $0.name]
        }
        (addedLists, removedLists) = (lists.added, lists.removed)
        changedLists = lists.changed { Self.fields($0.entry, $1.entry, name: "name", MemberDefaults.list) }
        changedParts = Self.parts(first, second)
        changedNickname =
            changedParts.contains(.nickname)
            ? TextChange(
                before: first.root["user"]?.text("nickname") ?? "", after: second.root["user"]?.text("nickname") ?? "")
            : nil
        changedFlags = SafeSettings.Flag.allCases.filter { first.settings[$0] != second.settings[$0] }
    }

    private static func fields(_ before: SafeContact, _ after: SafeContact) -> Set<ContactField> {
        var fields: Set<ContactField> = []
        let names: Set = ["firstname", "lastname", "nickname"]
        func reduced(_ contact: SafeContact, _ left: Set<String>) -> JSONValue {
            MemberDefaults.reduced(contact.entry, MemberDefaults.contact, without: left)
        }
        if before.entry == after.entry { return fields }
        if reduced(before, []) == reduced(after, []) { return fields }
        if before.level != after.level { fields.insert(.level) }
        if before.entry.text("publickey") != after.entry.text("publickey") { fields.insert(.publicKey) }
        if names.contains(where: { !before.entry.hasSameText($0, as: after.entry) }) { fields.insert(.names) }
        let told = names.union(["publickey", "verification"])
        // `level` reads an unknown number as level 1. Here it differs from 0.
        if reduced(before, told) != reduced(after, told) || fields.isEmpty { fields.insert(.other) }
        return fields
    }

    private static func fields(
        _ before: JSONValue, _ after: JSONValue, name: String, _ defaults: [String: JSONValue]
    ) -> Set<GroupField> {
        var fields: Set<GroupField> = []
        if !before.hasSameText(name, as: after) { fields.insert(.name) }
        if before.sortedTexts("members") != after.sortedTexts("members") { fields.insert(.members) }
        let told: Set = [name, "members"]
        let (left, right) = (
            MemberDefaults.reduced(before, defaults, without: told),
            MemberDefaults.reduced(after, defaults, without: told)
        )
        if left != right { fields.insert(.other) }
        return fields
    }

    private static func parts(_ first: SafeDocument, _ second: SafeDocument) -> Set<Part> {
        var parts: Set<Part> = []
        let (left, right) = (first.root, second.root)
        let (user, otherUser) = (left["user"] ?? [:], right["user"] ?? [:])
        let (settings, otherSettings) = (left["settings"] ?? [:], right["settings"] ?? [:])
        if !user.hasSameText("nickname", as: otherUser) { parts.insert(.nickname) }
        if !user.hasSameText("profilePic", as: otherUser) { parts.insert(.picture) }
        if user.sortedTexts("profilePicRelease") != otherUser.sortedTexts("profilePicRelease")
            || (first.pictureAudience == .nobody) != (second.pictureAudience == .nobody)
            || (first.pictureAudience == .everyone) != (second.pictureAudience == .everyone)
        {
            parts.insert(.pictureAudience)
        }
        if user.sortedLinks != otherUser.sortedLinks { parts.insert(.links) }
        if settings.sortedTexts("blockedContacts") != otherSettings.sortedTexts("blockedContacts") {
            parts.insert(.blockedContacts)
        }
        func rest(_ value: JSONValue, _ defaults: [String: JSONValue], _ told: Set<String>) -> JSONValue {
            MemberDefaults.reduced(value, defaults, without: told)
        }
        let excluded = ["syncExcludedIds", "syncExcludedIDs"]
        let toldOfSettings = Set(SafeSettings.Flag.allCases.map(\.rawValue) + ["blockedContacts"] + excluded)
        if rest(settings, MemberDefaults.settings, toldOfSettings)
            != rest(otherSettings, MemberDefaults.settings, toldOfSettings)
            || excluded.contains(where: { settings.sortedEntries($0) != otherSettings.sortedEntries($0) })
        {
            parts.insert(.settings)
        }
        let toldOfUser: Set = ["nickname", "profilePic", "profilePicRelease", "links"]
        let toldOfAll: Set = ["info", "user", "settings", "contacts", "groups", "distributionlists"]
        let (info, otherInfo) = (left["info"] ?? [:], right["info"] ?? [:])
        if rest(user, [:], toldOfUser) != rest(otherUser, [:], toldOfUser)
            || rest(left, [:], toldOfAll) != rest(right, [:], toldOfAll)
            || rest(info, [:], ["device"]) != rest(otherInfo, [:], ["device"])
        {
            parts.insert(.other)
        }
        return parts
    }
}

extension JSONValue {
    /// Whether both have the same text there, byte for byte; a missing text is empty.
    fileprivate func hasSameText(_ name: String, as other: JSONValue) -> Bool {
        JSONValue.string(text(name)) == .string(other.text(name))
    }

    /// The strings of a list as bytes, in order.
    fileprivate func sortedTexts(_ name: String) -> [[UInt8]] {
        texts(name).map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// The entries of a list as JSON, in order.
    fileprivate func sortedEntries(_ name: String) -> [[UInt8]] {
        (self[name]?.array ?? []).map(\.encoded).sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// The links as JSON without defaults, in order.
    fileprivate var sortedLinks: [[UInt8]] {
        (self["links"]?.array ?? []).map { MemberDefaults.reduced($0, MemberDefaults.link).encoded }
            .sorted { $0.lexicographicallyPrecedes($1) }
    }
}
