internal import Encodings

/// The members of a Safe document and their types. The apps omit different members and can read documents without most
/// of them, so few are required. But a member of a wrong type was not written by an app.
enum SafeSchema {
    /// The type of a member.
    private indirect enum Shape: Sendable {
        case null
        case string
        case bool
        case integer
        /// A number, in any spelling: times come as `0`, `1.7e12` and beyond 64 bits.
        case number
        case list(Shape)
        case object(Members)
        case nullable(Shape)
        case either(Shape, Shape)
    }

    /// The known members of an object.
    private struct Members: Sendable, ExpressibleByDictionaryLiteral {
        private let names: [String]
        private let shapes: [Shape]

        init(dictionaryLiteral elements: (String, Shape)...) {
            let inOrder = elements.sorted { $0.0 < $1.0 }
            names = inOrder.map(\.0)
            shapes = inOrder.map(\.1)
        }

        /// The type of a member; nil if it is not known.
        /// - Parameter hint: the index at which the search begins. It is set to the next one, where a document in order
        ///   of its names has its next member.
        func shape(of name: String, _ hint: inout Int) -> Shape? {
            for step in names.indices {
                let index = (hint + step) % names.count
                guard names[index] == name else { continue }
                hint = index + 1
                return shapes[index]
            }
            return nil
        }
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
        if let path = fault(in: root, .object(document)) { throw .wrongType(path: path) }
        for contact in root["contacts"]?.array ?? [] where contact["identity"] == nil {
            throw .missing(path: "contacts[].identity")
        }
    }

    private static let document: Members = [
        "info": .object(["version": .integer, "device": .string]),
        "user": .object(user),
        "contacts": .list(.object(contact)),
        "groups": .list(.object(group)),
        "distributionlists": .list(.object(distributionList)),
        "settings": .object(settings),
    ]

    private static let user: Members = [
        // If it was a string, it is a secret key and was cut out before.
        "temporaryDeviceGroupKeyTodoRemove": .null,
        "nickname": .nullable(.string),
        "profilePic": .nullable(.string),
        // Null stands for "nobody", "*" for "everybody".
        "profilePicRelease": .nullable(.list(.nullable(.string))),
        "links": .nullable(.list(.object(["type": .string, "name": .nullable(.string), "value": .string]))),
    ]

    private static let contact: Members = [
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

    private static let group: Members = [
        "id": .string,
        "creator": .string,
        "groupname": .nullable(.string),
        "members": .list(.string),
        "deleted": .bool,
        "createdAt": .nullable(.number),
        "lastUpdate": .nullable(.number),
        "private": flag,
    ]

    private static let distributionList: Members = [
        "id": .string,
        "name": .nullable(.string),
        "members": .list(.string),
        "createdAt": .nullable(.number),
        "lastUpdate": .nullable(.number),
        "private": flag,
    ]

    private static let settings: Members = [
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
        // The spelling of iOS; both are stored unchanged.
        "syncExcludedIDs": .list(.string),
        "recentEmojis": .list(.string),
    ]

    /// The schema gives `private` a default that is the string "false".
    private static let flag = Shape.either(.bool, .string)

    /// The path from `value` to the first part of a wrong type; empty for the value itself, nil if all types are right.
    private static func fault(in value: JSONValue, _ shape: Shape) -> String? {
        switch (shape, value) {
        case (.null, .null), (.string, .string), (.bool, .bool), (.number, .number): return nil
        case (.integer, _) where value.isInteger: return nil
        case (.nullable, .null): return nil
        case (.nullable(let inner), _): return fault(in: value, inner)
        case (.either(let first, let second), _):
            return fault(in: value, first) == nil ? nil : fault(in: value, second)
        case (.list(let inner), .array(let values)):
            for value in values {
                if let rest = fault(in: value, inner) { return join("[]", rest) }
            }
            return nil
        case (.object(let known), .object(let members)):
            var hint = 0
            for member in members {
                guard let shape = known.shape(of: member.name, &hint) else { continue }
                if let rest = fault(in: member.value, shape) { return join(member.name, rest) }
            }
            return nil
        default: return ""
        }
    }

    private static func join(_ step: String, _ rest: String) -> String {
        rest.isEmpty || rest.hasPrefix("[]") ? step + rest : step + "." + rest
    }
}
