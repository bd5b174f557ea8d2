internal import Encodings

/// A phone number or e-mail address that the directory has linked to the identity: an entry of `user.links`.
public struct SafeLink: Equatable, Sendable {
    /// What the directory has linked.
    public enum Kind: Equatable, Sendable {
        case mobile
        case email
        /// A type that the schema does not know, as written.
        case other(String)
    }

    /// Whether a phone number or an e-mail address is linked.
    public let kind: Kind
    /// The phone number (E.164 without `+`) or e-mail address, as written.
    public let value: String
    /// A name for it; empty if there is none. Android writes none.
    public let name: String

    init(_ entry: JSONValue) {
        kind = Kind(entry.text("type"))
        value = entry.text("value")
        name = entry.text("name")
    }
}

extension SafeLink.Kind {
    init(_ text: String) {
        switch text {
        case "mobile": self = .mobile
        case "email": self = .email
        default: self = .other(text)
        }
    }

    /// The type in the document.
    public var text: String {
        switch self {
        case .mobile: "mobile"
        case .email: "email"
        case .other(let text): text
        }
    }
}

/// Who may see the profile picture: `user.profilePicRelease`.
///
///     missing, null, [] or [null, …]   nobody
///     ["*", …]                         everyone
///     ["ABCD1234", …]                  these contacts
///
/// The first element decides, as in the Desktop app; Android looks for null and `*` first, too.
public enum PictureAudience: Equatable, Sendable {
    case nobody
    case everyone
    /// The IDs as written; they need not be valid.
    case contacts([String])

    init(_ value: JSONValue?) {
        let elements = value?.array ?? []
        switch elements.first {
        case .string("*")?: self = .everyone
        case .string?: self = .contacts(elements.compactMap(\.string))
        default: self = .nobody
        }
    }

    /// As the Android app writes it.
    var value: JSONValue {
        switch self {
        case .nobody: [nil]
        case .everyone: ["*"]
        case .contacts(let ids): .array(ids.map { .string($0) })
        }
    }
}
