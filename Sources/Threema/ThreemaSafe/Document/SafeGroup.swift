public import Encodings
internal import Threema

/// An entry of `groups` in a Safe document: a view of the JSON that never fails.
public struct SafeGroup: Equatable, Sendable {
    let entry: JSONValue

    init(_ entry: JSONValue) { self.entry = entry }

    /// A new group, with the members that all apps write.
    /// - Parameters:
    ///   - id: 16 lower-case hexadecimal characters.
    ///   - members: with the owner of the backup, unless the group was left.
    init(id: String, creator: ThreemaID, name: String, members: [ThreemaID], createdAt: Timestamp) {
        let entry: JSONValue = [
            "id": .string(id), "creator": .string(creator.text), "createdAt": .number(createdAt.milliseconds),
            "private": false,
        ]
        self = SafeGroup(entry).named(name, members: members)
    }

    /// With another name and other members.
    func named(_ name: String, members: [ThreemaID]) -> SafeGroup {
        SafeGroup(
            entry.setting("groupname", to: .string(name))
                .setting("members", to: .array(members.map { .string($0.text) })).setting("deleted", to: false))
    }

    /// The group ID as written: 16 hexadecimal characters, the 8 bytes in the order of messages. Creator and group ID
    /// together identify a group.
    public var id: String { entry.text("id") }
    /// The ID of the creator, as written.
    public var creator: String { entry.text("creator") }
    /// The name; empty if there is none.
    public var name: String { entry.text("groupname") }
    /// The IDs of the members, as written. The owner of the backup is among them, unless the group was left.
    public var members: [String] { entry.texts("members") }
    /// Whether the group was deleted. The apps write false.
    public var isDeleted: Bool { entry.flag("deleted") }
    /// Whether the conversation needs a PIN.
    public var isPrivate: Bool { entry.flag("private") }
    /// When the group was created; nil if unknown.
    public var createdAt: Timestamp? { entry.time("createdAt") }
    /// When the conversation was last used; nil if unknown.
    public var lastUpdate: Timestamp? { entry.time("lastUpdate") }
}

/// An entry of `distributionlists` in a Safe document: a view of the JSON that never fails. Only the Android app has
/// distribution lists.
public struct SafeDistributionList: Equatable, Sendable {
    let entry: JSONValue

    init(_ entry: JSONValue) { self.entry = entry }

    /// The ID as written: 16 hexadecimal characters, a number of 64 bits in little-endian order; nil in old backups.
    public var id: String? { entry["id"]?.string }
    /// The name; empty if there is none.
    public var name: String { entry.text("name") }
    /// The IDs of the members, as written.
    public var members: [String] { entry.texts("members") }
    /// Whether the conversation needs a PIN.
    public var isPrivate: Bool { entry.flag("private") }
    /// When the list was created; nil if unknown.
    public var createdAt: Timestamp? { entry.time("createdAt") }
    /// When the list was last used; nil if unknown.
    public var lastUpdate: Timestamp? { entry.time("lastUpdate") }
}
