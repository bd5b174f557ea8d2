internal import Encodings

/// Which members a Safe document has, and of which type each is. The apps differ in what they leave
/// out (they all read documents without most of it), so hardly anything is required; but a member
/// that is there and of another type belongs to a document that none of them wrote.
enum SafeSchema {
    /// What a member may be.
    private indirect enum Shape: Sendable {
        case null
        case string
        case bool
        case integer
        /// A number, in any spelling: times come as `0`, `1.7e12` and beyond 64 bits.
        case number
        case list(Shape)
        case object([String: Shape])
        case nullable(Shape)
        case either(Shape, Shape)
    }

    static func check(_ root: JSONValue) throws(SafeDocumentError) {
        guard root.members != nil else { throw .wrongType(path: "") }
        guard let info = root["info"] else { throw .missing(path: "info") }
        guard let version = info["version"] else { throw .missing(path: "info.version") }
        guard version.isInteger else { throw .wrongType(path: "info.version") }
        // A version too long for 64 bits is newer than any known.
        let number = version.integer ?? .max
        guard number <= SafeDocument.version else { throw .unsupportedVersion(number) }
        guard root["user"] != nil else { throw .missing(path: "user") }
        try check(root, .object(document), path: "")
        for contact in root["contacts"]?.array ?? [] where contact["identity"] == nil {
            throw .missing(path: "contacts[].identity")
        }
    }

    private static let document: [String: Shape] = [
        "info": .object(["version": .integer, "device": .string]),
        "user": .object(user),
        "contacts": .list(.object(contact)),
        "groups": .list(.object(group)),
        "distributionlists": .list(.object(distributionList)),
        "settings": .object(settings),
    ]

    private static let user: [String: Shape] = [
        // As a string it is a secret key, which was cut out before.
        "temporaryDeviceGroupKeyTodoRemove": .null,
        "nickname": .nullable(.string),
        "profilePic": .nullable(.string),
        // Null stands for "nobody", "*" for "everybody".
        "profilePicRelease": .nullable(.list(.nullable(.string))),
        "links": .nullable(.list(.object(["type": .string, "name": .nullable(.string), "value": .string]))),
    ]

    private static let contact: [String: Shape] = [
        "identity": .string,
        "verification": .integer,
        "publickey": .nullable(.string),
        "createdAt": .nullable(.number),
        "workVerified": .bool,
        "hidden": .bool,
        "private": flag,
        "firstname": .nullable(.string),
        "lastname": .nullable(.string),
        "nickname": .nullable(.string),
        "lastUpdate": .nullable(.number),
        "readReceipts": .integer,
        "typingIndicators": .integer,
    ]

    private static let group: [String: Shape] = [
        "id": .string,
        "creator": .string,
        "groupname": .nullable(.string),
        "members": .list(.string),
        "deleted": .bool,
        "createdAt": .nullable(.number),
        "lastUpdate": .nullable(.number),
        "private": flag,
    ]

    private static let distributionList: [String: Shape] = [
        "id": .string,
        "name": .nullable(.string),
        "members": .list(.string),
        "createdAt": .nullable(.number),
        "lastUpdate": .nullable(.number),
        "private": flag,
    ]

    private static let settings: [String: Shape] = [
        "syncContacts": .bool,
        "blockUnknown": .bool,
        "readReceipts": .bool,
        "sendTyping": .bool,
        "threemaCalls": .bool,
        "relayThreemaCalls": .bool,
        "disableScreenshots": .bool,
        "incognitoKeyboard": .bool,
        "blockedContacts": .list(.string),
        "syncExcludedIds": .list(.string),
        // iOS spells it so; both are kept as they came.
        "syncExcludedIDs": .list(.string),
        "recentEmojis": .list(.string),
    ]

    /// The schema gives `private` a default that is the string "false".
    private static let flag = Shape.either(.bool, .string)

    private static func check(_ value: JSONValue, _ shape: Shape, path: String) throws(SafeDocumentError) {
        switch (shape, value) {
        case (.null, .null), (.string, .string), (.bool, .bool), (.number, .number): return
        case (.integer, _) where value.isInteger: return
        case (.nullable, .null): return
        case (.nullable(let inner), _): try check(value, inner, path: path)
        case (.either(let first, let second), _):
            guard (try? check(value, first, path: path)) == nil else { return }
            try check(value, second, path: path)
        case (.list(let inner), .array(let values)):
            for value in values { try check(value, inner, path: path + "[]") }
        case (.object(let shapes), .object(let members)):
            for member in members {
                guard let shape = shapes[member.name] else { continue }
                try check(member.value, shape, path: path.isEmpty ? member.name : path + "." + member.name)
            }
        default: throw .wrongType(path: path)
        }
    }
}
