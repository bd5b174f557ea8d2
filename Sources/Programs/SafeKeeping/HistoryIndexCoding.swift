internal import Encodings

// The member `history` of `state.json`.

extension HistoryIndex {
    /// An empty index without a value.
    init(_ value: JSONValue?) {
        let items = (value?["backups"]?.array ?? []).compactMap { value -> Item? in
            guard let name = value["name"]?.string, let number = value["number"]?.integer,
                Self.numbers.contains(number)
            else { return nil }
            return Item(name: name, number: Int(number), sum: .milliseconds(value["sum"]?.integer ?? 0))
        }
        let next = value?["next"]?.integer ?? 1
        self.init(items: items, next: Int(Self.numbers.contains(next) ? next : 1))
    }

    /// More backups than anybody stores.
    private static let numbers = Int64(1)..<1 << 53

    /// Nil if nothing was ever stored. Only the newest 8192 backups: a state of over 1 MiB would not be read again.
    var value: JSONValue? {
        guard next > 1 else { return nil }
        return [
            "next": .number(next),
            "backups": .array(
                items.suffix(8192).map {
                    ["name": .string($0.name), "number": .number($0.number), "sum": .number($0.sum.milliseconds)]
                }),
        ]
    }
}
