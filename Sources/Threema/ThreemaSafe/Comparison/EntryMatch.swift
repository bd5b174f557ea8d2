/// Pairs the entries of two lists by their names. Entries with one name are paired in their order.
struct EntryMatch<Entry: Equatable & Sendable> {
    /// Entries of the second list without a partner, in its order.
    let added: [Entry]
    /// Entries of the first list without a partner, in its order.
    let removed: [Entry]
    private let pairs: [(before: Entry, after: Entry)]

    /// - Parameter name: the texts that together identify an entry. They are compared as bytes.
    init(_ first: [Entry], _ second: [Entry], name: (Entry) -> [String]) {
        var waiting: [[[UInt8]]: [Int]] = [:]
        // In reverse, so that the first one is the last in its array.
        for index in first.indices.reversed() {
            waiting[Self.key(name(first[index])), default: []].append(index)
        }
        var added: [Entry] = []
        var pairs: [(before: Entry, after: Entry)] = []
        var isPaired = [Bool](repeating: false, count: first.count)
        for entry in second {
            guard let index = waiting[Self.key(name(entry))]?.popLast() else {
                added.append(entry)
                continue
            }
            isPaired[index] = true
            pairs.append((first[index], entry))
        }
        self.added = added
        self.pairs = pairs
        removed = zip(first, isPaired).filter { !$0.1 }.map(\.0)
    }

    private static func key(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

    /// The pairs that differ.
    /// - Parameter fields: what differs in a pair.
    func changed<Field>(_ fields: (Entry, Entry) -> Set<Field>) -> [DocumentDifference.Change<Entry, Field>] {
        pairs.compactMap { before, after in
            let fields = fields(before, after)
            return fields.isEmpty ? nil : .init(before: before, after: after, fields: fields)
        }
    }
}
