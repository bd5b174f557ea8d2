public import Encodings

/// The JSON document of a Safe backup (schema `https://safe.threema.ch/schema/1.json`) without the
/// private key, without the device group key and without keytool's own member.
///
/// It is the parsed tree, so unknown members and the spelling of numbers survive. Known members are checked once, on
/// parsing, so that the accessors cannot fail. Members are in order of their names, so that equal content has equal
/// bytes, whichever app wrote it.
public struct SafeDocument: Equatable, Sendable {
    /// The newest version that can be read. Older ones can be read, too.
    public static let version: Int64 = 1

    let root: JSONValue

    /// The document of a new identity: the smallest one that all apps restore. Android skips the groups without
    /// `contacts`, and Desktop and iOS need `settings`.
    public static let empty = SafeDocument(
        unchecked: [
            "info": ["version": .number(version), "device": "keytool"],
            "user": [:],
            "contacts": [],
            "settings": ["syncContacts": false],
        ])

    init(unchecked root: JSONValue) {
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

    /// Number of values in the document.
    package var valueCount: Int { root.valueCount }

    /// Whether it can be read again, also from a backup, which has private key, device group key and writer info besides.
    package var fitsBackup: Bool {
        valueCount <= JSONScanner.Limits().values - 16 && encoded.count <= SafeBackup.maxDocumentBytes - 512
    }

    /// The document for people and programs: control and format characters are escaped.
    public var encodedForOutput: [UInt8] { root.encodedForOutput }

    /// The nickname, `user.nickname`; nil if it is missing or not a text.
    public var nickname: String? { root["user"]?["nickname"]?.string }
    /// The member `info.device`: the app that wrote the backup.
    public var device: String? { root["info"]?["device"]?.string }
    /// Number of entries in `contacts`.
    public var contactCount: Int { root["contacts"]?.array?.count ?? 0 }
    /// Number of entries in `groups`.
    public var groupCount: Int { root["groups"]?.array?.count ?? 0 }
    /// Number of entries in `distributionlists`.
    public var distributionListCount: Int { root["distributionlists"]?.array?.count ?? 0 }

    /// Length of the profile picture in the document, in characters of Base64. It is usually the largest part.
    public var profilePictureCount: Int { root["user"]?["profilePic"]?.string?.utf8.count ?? 0 }
}

/// Why JSON is not a Safe document.
public enum SafeDocumentError: Error, Equatable, Sendable {
    /// `info.version` is newer than 1.
    case unsupportedVersion(Int64)
    /// A required member is missing.
    case missing(path: String)
    /// A known member is not of its type.
    case wrongType(path: String)
}
