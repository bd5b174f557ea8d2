import Encodings
import ThreemaSafe
import VectorKit

/// Documents as different apps, and apps to come, could write them: members missing, null or unknown, numbers in odd
/// spellings, IDs and keys that are none.
struct GeneratedDocument {
    private var random: SeededRandom
    private static let identities = ["ABCD1234", "*GATEWAY", "echoecho", "", "ÄÖÜ", "A,\"\n;=1", "00000000"]
    private static let numbers = ["0", "-0", "1.0", "1.7e12", "1e308", "18446744073709552000", "1700000000000", "-3"]
    private static let texts = ["", "n", "=1+1", "é", "e\u{301}", "🔑", "\\\"\n\t", "a\u{2028}b", "Anna"]

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func document(contacts: Int, groups: Int) throws -> SafeDocument {
        var root: [JSONValue.Member] = [
            .init("info", ["version": 1, "device": text()]), .init("user", .object(user())), .init("future", unknown()),
        ]
        if contacts > 0 || chance() { root.append(.init("contacts", list(contacts) { $0.contact($1) })) }
        if groups > 0 || chance() { root.append(.init("groups", list(groups) { generator, _ in generator.group() })) }
        if chance() {
            root.append(.init("distributionlists", list(3) { generator, _ in generator.distributionList() }))
        }
        if chance() { root.append(.init("settings", .object(settings()))) }
        root.shuffle(using: &random)
        return try SafeDocument(.object(root))
    }

    private mutating func user() -> [JSONValue.Member] {
        optional([
            ("nickname", text()), ("profilePic", "AAAA"), ("profilePicRelease", [nil]), ("x", unknown()),
            (
                "links",
                [
                    ["type": "mobile", "value": "41791234567", "x": unknown()],
                    ["type": "email", "name": "", "value": "a@b"],
                ]
            ),
        ])
    }

    private mutating func contact(_ number: Int) -> JSONValue {
        let digits = String(number + 10_000_000, radix: 36, uppercase: true)
        let isOdd = Int.random(in: 0..<20, using: &random) == 0
        let identity =
            isOdd ? Self.identities.randomElement(using: &random)! : "C" + "000000".dropLast(digits.count - 1) + digits
        let entry = optional([
            ("verification", .number(Int.random(in: -1...3, using: &random))),
            ("publickey", chance() ? .string(sampleKeyText) : text()), ("createdAt", spelledNumber()),
            ("hidden", .bool(chance())),
            ("private", chance() ? "false" : true), ("firstname", text()), ("lastname", chance() ? nil : text()),
            ("nickname", text()), ("lastUpdate", nil), ("readReceipts", 1),
            ("typingIndicators", .number(Int.random(in: 0..<5, using: &random))),
            ("unknown", unknown()),
        ])
        return .object(entry + [.init("identity", .string(identity))])
    }

    private mutating func group() -> JSONValue {
        .object(
            optional([
                ("id", "0100000000000000"), ("creator", identity()), ("groupname", text()),
                ("members", [identity(), identity()]), ("deleted", .bool(chance())), ("createdAt", spelledNumber()),
                ("x", unknown()),
            ]))
    }

    private mutating func distributionList() -> JSONValue {
        .object(optional([("id", "0a"), ("name", text()), ("members", [identity()]), ("y", unknown())]))
    }

    private mutating func settings() -> [JSONValue.Member] {
        var members = SafeSettings.Flag.allCases.map { ($0.rawValue, JSONValue.bool(chance())) }
        members += [
            ("blockedContacts", [identity()]), ("syncExcludedIDs", ["A"]), ("syncExcludedIds", []), ("z", unknown()),
        ]
        return optional(members)
    }

    private mutating func list(
        _ count: Int, _ entry: (inout GeneratedDocument, Int) -> JSONValue
    ) -> JSONValue {
        .array((0..<count).map { entry(&self, $0) })
    }

    /// Some of the members, in any order.
    private mutating func optional(_ members: [(String, JSONValue)]) -> [JSONValue.Member] {
        var members = members.filter { _ in chance() || chance() }.map { JSONValue.Member($0.0, $0.1) }
        members.shuffle(using: &random)
        return members
    }

    private mutating func unknown() -> JSONValue { ["0": spelledNumber(), "zz": [text(), nil, ["é": true]]] }
    private mutating func identity() -> JSONValue { .string(Self.identities.randomElement(using: &random)!) }
    private mutating func text() -> JSONValue { .string(Self.texts.randomElement(using: &random)!) }
    private mutating func spelledNumber() -> JSONValue { .number(Self.numbers.randomElement(using: &random)!) }
    private mutating func chance() -> Bool { Bool.random(using: &random) }
}

/// Every leaf of a value by its path, spelled as in JSON. Members of objects have their names in the path, entries of
/// lists their index, so two values with the same leaves say the same in any order of members.
/// - Parameter paths: they and what is below them is left out, and so are empty objects.
private func leaves(of value: JSONValue, but paths: Set<String>, at path: String, into found: inout [String: [UInt8]]) {
    guard !paths.contains(path) else { return }
    switch value {
    case .object(let members):
        for member in members { leaves(of: member.value, but: paths, at: "\(path)/\(member.name)", into: &found) }
    case .array(let values) where !values.isEmpty:
        for (index, value) in values.enumerated() {
            leaves(of: value, but: paths, at: "\(path)/\(index)", into: &found)
        }
    default: found[path] = value.encoded
    }
}

extension SafeDocument {
    /// The leaves of the document as another reader of its bytes finds them.
    func leaves(but paths: Set<String> = []) throws -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        ThreemaSafeTests.leaves(of: try JSONScanner.parse(encoded.span), but: paths, at: "", into: &found)
        return found
    }
}
