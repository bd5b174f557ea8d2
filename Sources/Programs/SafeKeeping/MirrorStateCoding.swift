internal import Encodings
internal import ObservedTime
internal import SafeRules

// The member `mirror` of a place in `state.json`.

extension MirrorState {
    init(_ value: JSONValue) {
        func digest(_ value: JSONValue?) -> Digest? { value?.string.flatMap(Hex.decode).flatMap { Digest($0) } }
        self.init(
            journal: value["journal"]?.array?.compactMap(digest) ?? [], normal: digest(value["normal"]),
            contacts: Int(clamping: max(0, value["contacts"]?.integer ?? 0)),
            changedAt: ObservedTimestamp("changed", of: value),
            succeededAt: ObservedTimestamp("succeeded", of: value))
    }

    var value: JSONValue {
        func hex(_ digest: Digest) -> JSONValue { .string(Hex.encode(digest.bytes)) }
        var members: [(String, JSONValue?)] = [
            ("journal", .array(journal.map(hex))),
            ("normal", normal.map(hex)),
            ("contacts", .number(contacts)),
        ]
        members += changedAt?.members("changed") ?? []
        members += succeededAt?.members("succeeded") ?? []
        return .object(members.compactMap { name, value in value.map { JSONValue.Member(name, $0) } })
    }
}
