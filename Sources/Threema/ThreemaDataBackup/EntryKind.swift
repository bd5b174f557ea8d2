/// What an entry of a data backup contains, by its name. The names are in the clear.
///
/// Since app 5.0.4, x and g are ten random digits. In older files x is the ID of a contact, and g the ID of a group
/// and of its creator.
public enum EntryKind: Int, CaseIterable, Sendable {
    /// `settings`: the version.
    case settings
    /// `identity`: the backup code.
    case identity
    /// `contacts.csv`, `groups.csv`, `distribution_list.csv`.
    case table
    /// `message_x.csv`, `group_message_g.csv`, `distribution_list_message_n.csv`: a conversation.
    case conversation
    /// `message_media_u` and the same of groups and lists: a file of a message.
    case media
    /// `message_thumbnail_u` and the same of groups and lists.
    case thumbnail
    /// `contact_avatar_me`, `contact_avatar_x`, `contact_profile_pic_x`, `group_avatar_g`.
    case picture
    /// `ballot.csv`, `ballot_choice.csv`, `ballot_vote.csv`.
    case polls
    /// `contact_reactions.csv`, `group_reactions.csv`, `reaction_counts.csv`.
    case reactions
    /// `nonces.csv`, `nonces_d2d.csv`, `nonce_counts.csv`: hashes of the nonces of received messages.
    case nonces
    /// Any other name.
    case unknown

    private static let names: [String: EntryKind] = [
        "settings": .settings, "identity": .identity, DataBackup.contactsName: .table, DataBackup.groupsName: .table,
        DataBackup.listsName: .table, "ballot.csv": .polls, "ballot_choice.csv": .polls, "ballot_vote.csv": .polls,
        "contact_reactions.csv": .reactions, "group_reactions.csv": .reactions, "reaction_counts.csv": .reactions,
        "nonces.csv": .nonces, "nonces_d2d.csv": .nonces, "nonce_counts.csv": .nonces,
    ]

    /// In the order in which they are compared: `message_media_` comes before `message_`.
    private static let prefixes: [(text: String, kind: EntryKind)] =
        ["distribution_list_", "group_", ""].flatMap { owner in
            [(owner + "message_media_", .media), (owner + "message_thumbnail_", .thumbnail)]
        } + ["contact_avatar_", "contact_profile_pic_", "group_avatar_"].map { ($0, .picture) }

    private static let conversations = ["distribution_list_message_", "group_message_", "message_"]

    /// - Parameter name: bytes of any kind.
    public init(name: [UInt8]) {
        let text = String(decoding: name, as: UTF8.self)
        if let kind = Self.names[text] {
            self = kind
        } else if let found = Self.prefixes.first(where: { text.hasPrefix($0.text) }) {
            self = found.kind
        } else if text.hasSuffix(".csv"), Self.conversations.contains(where: { text.hasPrefix($0) }) {
            self = .conversation
        } else {
            self = .unknown
        }
    }
}

/// How many entries of a kind there are.
public struct EntryCount: Equatable, Sendable {
    /// How many entries of the kind were found.
    public internal(set) var entries = 0
    /// Length of their contents in bytes, as announced; at most `Int.max`.
    public internal(set) var bytes = 0

    /// Begins with no entries.
    public init() {}

    mutating func add(_ count: Int) {
        entries += 1
        let (sum, isTooLarge) = bytes.addingReportingOverflow(count)
        bytes = isTooLarge ? .max : sum
    }
}
