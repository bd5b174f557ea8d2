internal import Encodings

/// The member `settings` of a Safe document: a view of the JSON that never fails. A missing member has the default of
/// the schema.
public struct SafeSettings: Equatable, Sendable {
    private let entry: JSONValue

    init(_ entry: JSONValue) { self.entry = entry }

    /// A setting that is on or off; the raw value is its name in the document.
    public enum Flag: String, CaseIterable, Sendable {
        /// Compare the address book with the directory.
        case syncContacts
        /// Refuse messages of people who are not contacts.
        case blockUnknown
        case readReceipts
        /// Show contacts when one types.
        case sendTyping
        /// Accept calls.
        case threemaCalls
        /// Send calls over a relay, which hides one's address.
        case relayThreemaCalls
        case disableScreenshots
        /// Ask the keyboard not to learn.
        case incognitoKeyboard

        /// The value of a document that does not have the member.
        public var defaultValue: Bool {
            switch self {
            case .readReceipts, .sendTyping, .threemaCalls: true
            case .syncContacts, .blockUnknown, .relayThreemaCalls, .disableScreenshots, .incognitoKeyboard: false
            }
        }
    }

    /// The value of a setting.
    public subscript(flag: Flag) -> Bool { entry.flag(flag.rawValue, default: flag.defaultValue) }

    /// The IDs of blocked contacts, as written.
    public var blockedContacts: [String] { entry.texts("blockedContacts") }

    /// The IDs that are not taken from the address book, as written. iOS spells this member `syncExcludedIDs`, the
    /// others `syncExcludedIds`; a document that went through both kinds of app has both, and both count.
    public var syncExcludedIDs: [String] {
        let ids = entry.texts("syncExcludedIds")
        let known = Set(ids)
        return ids + entry.texts("syncExcludedIDs").filter { !known.contains($0) }
    }

    /// Emojis that were used last.
    public var recentEmojis: [String] { entry.texts("recentEmojis") }
}
