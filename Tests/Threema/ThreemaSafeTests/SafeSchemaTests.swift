import Encodings
import Testing
import Threema
import ThreemaSafe

/// Every known member, with every type that it may and may not have.
@Suite struct SafeSchemaTests {
    enum Kind: String, CaseIterable {
        case string = #""false""#
        case integer = "1"
        case fraction = "1.5"
        case bool = "true"
        case null = "null"
        case list = "[]"
        case object = "{}"
    }

    /// A member, `[]` behind a list whose elements are meant, and what it may be.
    struct Member: CustomStringConvertible {
        let path: String
        let kinds: Set<Kind>
        var description: String { path }

        init(_ path: String, _ kinds: Kind...) {
            self.path = path
            self.kinds = Set(kinds)
        }
    }

    static let members: [Member] = [
        Member("info.version", .integer), Member("info.device", .string), Member("user", .object),
        Member("user.temporaryDeviceGroupKeyTodoRemove", .null), Member("user.nickname", .string, .null),
        Member("user.profilePic", .string, .null), Member("user.profilePicRelease", .list, .null),
        Member("user.profilePicRelease[]", .string, .null), Member("user.links", .list, .null),
        Member("user.links[]", .object), Member("user.links[].type", .string),
        Member("user.links[].name", .string, .null), Member("user.links[].value", .string),
        Member("contacts", .list), Member("contacts[].identity", .string), Member("contacts[].verification", .integer),
        Member("contacts[].publickey", .string, .null), Member("contacts[].createdAt", .integer, .fraction, .null),
        Member("contacts[].workVerified", .bool), Member("contacts[].hidden", .bool),
        Member("contacts[].private", .bool, .string), Member("contacts[].firstname", .string, .null),
        Member("contacts[].lastname", .string, .null), Member("contacts[].nickname", .string, .null),
        Member("contacts[].lastUpdate", .integer, .fraction, .null), Member("contacts[].readReceipts", .integer),
        Member("contacts[].typingIndicators", .integer),
        Member("groups", .list), Member("groups[]", .object), Member("groups[].id", .string),
        Member("groups[].creator", .string), Member("groups[].groupname", .string, .null),
        Member("groups[].members", .list), Member("groups[].members[]", .string), Member("groups[].deleted", .bool),
        Member("groups[].createdAt", .integer, .fraction, .null),
        Member("groups[].lastUpdate", .integer, .fraction, .null), Member("groups[].private", .bool, .string),
        Member("distributionlists", .list), Member("distributionlists[]", .object),
        Member("distributionlists[].id", .string), Member("distributionlists[].name", .string, .null),
        Member("distributionlists[].members", .list), Member("distributionlists[].members[]", .string),
        Member("distributionlists[].createdAt", .integer, .fraction, .null),
        Member("distributionlists[].lastUpdate", .integer, .fraction, .null),
        Member("distributionlists[].private", .bool, .string),
        Member("settings", .object), Member("settings.syncContacts", .bool), Member("settings.blockUnknown", .bool),
        Member("settings.readReceipts", .bool), Member("settings.sendTyping", .bool),
        Member("settings.threemaCalls", .bool), Member("settings.relayThreemaCalls", .bool),
        Member("settings.disableScreenshots", .bool), Member("settings.incognitoKeyboard", .bool),
        Member("settings.blockedContacts", .list), Member("settings.blockedContacts[]", .string),
        Member("settings.syncExcludedIds", .list), Member("settings.syncExcludedIds[]", .string),
        Member("settings.syncExcludedIDs", .list), Member("settings.syncExcludedIDs[]", .string),
        Member("settings.recentEmojis", .list), Member("settings.recentEmojis[]", .string),
    ]

    /// The smallest document with `value` at `path`.
    private func document(with value: JSONValue, at path: String) -> JSONValue {
        place(value, path.split(separator: "."), in: ["info": ["version": 1], "user": [:]])
    }

    private func place(_ value: JSONValue, _ path: [Substring], in object: JSONValue) -> JSONValue {
        guard let step = path.first else { return value }
        let rest = Array(path.dropFirst())
        guard step.hasSuffix("[]") else {
            return object.setting(String(step), to: place(value, rest, in: object[String(step)] ?? [:]))
        }
        let element: JSONValue = step == "contacts[]" ? ["identity": "ECHOECHO"] : [:]
        return object.setting(String(step.dropLast(2)), to: .array([place(value, rest, in: element)]))
    }

    @Test(arguments: members) func `a known member has one of its types`(_ member: Member) throws {
        for kind in Kind.allCases {
            let root = try document(with: parse(kind.rawValue), at: member.path)
            if member.kinds.contains(kind) {
                #expect(throws: Never.self, "\(kind)") { try SafeDocument(root) }
            } else {
                #expect(throws: SafeDocumentError.wrongType(path: member.path), "\(kind)") { try SafeDocument(root) }
            }
        }
    }

    @Test func `a contact is an object with an identity`() throws {
        for value in [#""ECHOECHO""#, "1", "null", "[]", "true"] {
            #expect(throws: SafeDocumentError.wrongType(path: "contacts[]")) {
                try SafeDocument(document(with: parse(value), at: "contacts[]"))
            }
        }
        for value in ["{}", #"{"Identity":"ECHOECHO"}"#] {
            #expect(throws: SafeDocumentError.missing(path: "contacts[].identity")) {
                try SafeDocument(document(with: parse(value), at: "contacts[]"))
            }
        }
    }

    @Test(arguments: [
        ("[]", SafeDocumentError.wrongType(path: "")), ("null", .wrongType(path: "")), ("1", .wrongType(path: "")),
        (#""info""#, .wrongType(path: "")), ("{}", .missing(path: "info")), (#"{"user":{}}"#, .missing(path: "info")),
        (#"{"info":{},"user":{}}"#, .missing(path: "info.version")),
        (#"{"info":{"Version":1},"user":{}}"#, .missing(path: "info.version")),
        (#"{"info":{"version":1}}"#, .missing(path: "user")),
        (#"{"info":{"version":1},"User":{}}"#, .missing(path: "user")),
        (#"{"info":{"version":1},"user":null}"#, .wrongType(path: "user")),
        (#"{"info":{"version":1.0},"user":{}}"#, .wrongType(path: "info.version")),
        (#"{"info":{"version":1e0},"user":{}}"#, .wrongType(path: "info.version")),
        (#"{"info":{"version":"1"},"user":{}}"#, .wrongType(path: "info.version")),
        (#"{"info":{"version":2},"user":{}}"#, .unsupportedVersion(2)),
        // A newer version is said before anything else about it.
        (#"{"info":{"version":2},"user":7,"contacts":"none"}"#, .unsupportedVersion(2)),
        (#"{"info":{"version":9223372036854775807},"user":{}}"#, .unsupportedVersion(.max)),
        (#"{"info":{"version":18446744073709551616},"user":{}}"#, .unsupportedVersion(.max)),
    ]) func `what is no document of a known version`(_ json: String, _ error: SafeDocumentError) {
        #expect(throws: error) { try SafeDocument(parse(json)) }
    }

    @Test(arguments: ["null", "1", #""x""#, "[]", "true"]) func `info is an object`(_ value: String) {
        #expect(throws: SafeDocumentError.self) { try SafeDocument(parse(#"{"info":\#(value),"user":{}}"#)) }
    }

    @Test func `an integer too long to be a version below 1 is read, one above is not`() throws {
        // No app has ever written a negative version; what matters is that nothing traps on one.
        #expect(throws: SafeDocumentError.self) {
            try SafeDocument(parse(#"{"info":{"version":-99999999999999999999},"user":{}}"#))
        }
        _ = try SafeDocument(parse(#"{"info":{"version":-9223372036854775808},"user":{}}"#))
    }
}
