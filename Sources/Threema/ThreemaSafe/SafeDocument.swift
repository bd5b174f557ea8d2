public import Encodings

/// The JSON document of a Safe backup (schema `https://safe.threema.ch/schema/1.json`) without the
/// private key, without the device group key and without keytool's own member.
///
/// It is kept as the tree that was read: members that nobody here knows, and every number's spelling,
/// survive. What is known is checked once, on reading, so that the accessors cannot fail. Members
/// stand in order of their names: equal content is equal bytes, whichever app wrote it.
public struct SafeDocument: Equatable, Sendable {
    /// The newest version that is understood; older ones are read too.
    public static let version: Int64 = 1

    let root: JSONValue

    /// The profile of an identity that has none yet: the smallest document that all apps restore.
    /// `contacts` because Android skips the groups without it, `settings` because Desktop and iOS need it.
    public static let empty = SafeDocument(
        unchecked: [
            "info": ["version": .number(version), "device": "keytool"],
            "user": [:],
            "contacts": [],
            "settings": ["syncContacts": false],
        ])

    private init(unchecked root: JSONValue) {
        self.root = root.sorted
    }

    /// Checks a document.
    /// - Throws: `.unsupportedVersion`; `.missing` and `.wrongType` with the path of the member.
    public init(_ root: JSONValue) throws(SafeDocumentError) {
        try SafeSchema.check(root)
        self.init(unchecked: root)
    }

    /// The document as compact JSON, members in order of their names.
    public var encoded: [UInt8] { root.encoded }

    /// What `user.nickname` says.
    public var nickname: String? { root["user"]?["nickname"]?.string }
    /// The app that wrote the backup, as it calls itself.
    public var device: String? { root["info"]?["device"]?.string }
    /// Entries of `contacts`.
    public var contactCount: Int { root["contacts"]?.array?.count ?? 0 }
    /// Entries of `groups`.
    public var groupCount: Int { root["groups"]?.array?.count ?? 0 }
    /// Entries of `distributionlists`.
    public var distributionListCount: Int { root["distributionlists"]?.array?.count ?? 0 }

    /// Length in characters of the picture as it stands in the document; what makes a backup too large.
    public var profilePictureCount: Int { root["user"]?["profilePic"]?.string?.utf8.count ?? 0 }
}

/// Why JSON is not a Safe document.
public enum SafeDocumentError: Error, Equatable, Sendable {
    /// `info.version` is newer than 1.
    case unsupportedVersion(Int64)
    /// A required member is not there.
    case missing(path: String)
    /// A known member is not of its type.
    case wrongType(path: String)
}
