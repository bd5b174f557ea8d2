public import Encodings
internal import SecureMemory
public import Threema

/// An entry of `contacts` in a Safe document.
///
/// It is a view of the JSON, and never fails: an odd ID or key is there as it was written, and a value out of range
/// counts as missing.
public struct SafeContact: Equatable, Sendable {
    let entry: JSONValue

    /// The member `identity`, as written. It need not be a valid ID.
    public var identity: String { entry.text("identity") }
    /// The ID; nil if `identity` is not a valid one.
    public var id: ThreemaID? { try? ThreemaID(identity) }

    /// The public key; nil if it is missing, or if it is not the Base64 of a `PublicKey`. The apps store it for contacts of
    /// level 3 and for revoked ones.
    public var publicKey: PublicKey? {
        guard let text = entry["publickey"]?.string,
            let bytes = Base64.decode(Array(text.utf8).span)?.revealBytes()
        else { return nil }
        return PublicKey(bytes)
    }

    /// Whether `publickey` is a string, but not the Base64 of a `PublicKey`.
    public var isKeyMalformed: Bool { entry["publickey"]?.string != nil && publicKey == nil }

    /// The verification level. A missing or unknown number counts as `unverified`.
    public var level: VerificationLevel {
        entry["verification"]?.integer.flatMap { Int(exactly: $0) }.flatMap(VerificationLevel.init) ?? .unverified
    }

    /// The first name; empty if there is none.
    public var firstName: String { entry.text("firstname") }
    /// The last name; empty if there is none.
    public var lastName: String { entry.text("lastname") }
    /// The nickname that the contact has chosen, without `~`; empty if there is none.
    public var nickname: String { entry.text("nickname") }

    /// First and last name with a blank between them, else the nickname; empty if the contact has neither.
    public var displayName: String {
        let name = [firstName, lastName].filter { !$0.isEmpty }.joined(separator: " ")
        return name.isEmpty ? nickname : name
    }

    /// When the contact was added; nil if unknown.
    public var createdAt: Timestamp? { entry.time("createdAt") }
    /// When the conversation was last used; nil if unknown.
    public var lastUpdate: Timestamp? { entry.time("lastUpdate") }

    /// Whether the contact is in the same company, for the work app.
    public var isWorkVerified: Bool { entry.flag("workVerified") }
    /// Whether the contact is left out of the list of contacts, for example a group member who was never added.
    public var isHidden: Bool { entry.flag("hidden") }
    /// Whether the conversation needs a PIN.
    public var isPrivate: Bool { entry.flag("private") }

    /// Whether read receipts are sent to this contact.
    public var readReceipts: SendingRule { SendingRule(entry["readReceipts"]) }
    /// Whether the contact sees when one types.
    public var typingIndicators: SendingRule { SendingRule(entry["typingIndicators"]) }

    /// A setting of one contact.
    public enum SendingRule: Int, Sendable {
        /// As in the settings.
        case asInSettings = 0
        case send = 1
        case doNotSend = 2

        init(_ value: JSONValue?) {
            self = value?.integer.flatMap { Int(exactly: $0) }.flatMap(SendingRule.init) ?? .asInSettings
        }
    }

    /// A new contact, with the members that all apps write.
    init(
        _ id: ThreemaID, _ publicKey: PublicKey, _ level: VerificationLevel, firstName: String, lastName: String,
        createdAt: Timestamp
    ) {
        entry = [
            "identity": .string(id.text), "verification": .number(level.stored),
            "publickey": .string(Base64.encode(publicKey.bytes.span)), "createdAt": .number(createdAt.milliseconds),
            "workVerified": false, "hidden": false, "private": false, "firstname": .string(firstName),
            "lastname": .string(lastName), "nickname": "", "readReceipts": 0, "typingIndicators": 0,
        ]
    }

    init(_ entry: JSONValue) { self.entry = entry }
}
