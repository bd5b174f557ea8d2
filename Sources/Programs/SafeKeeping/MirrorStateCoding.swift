internal import Encodings
internal import SafeRules

// The member `mirror` of a place in `state.json`.

extension MirrorState {
    init(_ value: JSONValue) {
        func digest(_ value: JSONValue?) -> Digest? { value?.string.flatMap(Hex.decode).flatMap { Digest($0) } }
        func timestamp(_ name: String) -> Timestamp? { value[name]?.integer.map(Timestamp.init) }
        self.init(
            journal: value["journal"]?.array?.compactMap(digest) ?? [], normal: digest(value["normal"]),
            contacts: Int(clamping: max(0, value["contacts"]?.integer ?? 0)), changedAt: timestamp("changed_at"),
            succeededAt: timestamp("succeeded_at"))
    }

    var value: JSONValue {
        func hex(_ digest: Digest) -> JSONValue { .string(Hex.encode(digest.bytes)) }
        func number(_ timestamp: Timestamp?) -> JSONValue? { timestamp.map { .number($0.milliseconds) } }
        let members: [(String, JSONValue?)] = [
            ("journal", .array(journal.map(hex))),
            ("normal", normal.map(hex)),
            ("contacts", .number(contacts)),
            ("changed_at", number(changedAt)),
            ("succeeded_at", number(succeededAt)),
        ]
        return .object(members.compactMap { name, value in value.map { JSONValue.Member(name, $0) } })
    }
}
