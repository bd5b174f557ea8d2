internal import Encodings
internal import Keystore
internal import ObservedTime
internal import SafeRules

/// What the state of a place remembers of each backup in its history: a number, and when it was stored by the place's
/// clock.
///
/// Numbers count upwards and are never used again; the same backup keeps its number if it is stored again. Whether a
/// backup is old enough to be removed is asked of the place's clock alone. A backup that the index does not know, of an
/// earlier version or of a process that died, counts from the next write of the state.
struct HistoryIndex: Equatable {
    /// Days for which replaced and deleted backups stay.
    static let days = 90
    /// Number of the newest of these that stay longer.
    static let least = 8

    struct Item: Equatable {
        /// The file name of the entry.
        let name: String
        let number: Int
        /// The place's clock when it was stored.
        let sum: Duration
    }

    /// The newest last.
    private(set) var items: [Item]
    /// The number of the next backup that is stored.
    private(set) var next: Int

    init(items: [Item] = [], next: Int = 1) {
        self.items = items
        self.next = items.reduce(max(1, next)) { max($0, $1.number &+ 1) }
    }

    /// Enters what the history holds now.
    /// - Parameters:
    ///   - entries: the newest first.
    ///   - sum: the place's clock.
    mutating func update(_ entries: [HistoryEntry], at sum: Duration) {
        let known = Dictionary(items.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let names = Set(entries.map(\.name))
        var gone = items.filter { !names.contains($0.name) }
        items = []
        for entry in entries.reversed() {
            if let item = known[entry.name] {
                items.append(item)
            } else if let index = gone.firstIndex(where: { $0.isOf(entry.digestPrefix) }) {
                items.append(Item(name: entry.name, number: gone.remove(at: index).number, sum: sum))
            } else {
                items.append(Item(name: entry.name, number: next, sum: sum))
                next += 1
            }
        }
        items.sort { ($0.sum, $0.number) < ($1.sum, $1.number) }
    }

    /// The entries that the index knows, with its items, the newest first.
    func ordered(_ entries: [HistoryEntry]) -> [(item: Item, entry: HistoryEntry)] {
        let named = Dictionary(entries.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        return items.reversed().compactMap { item in named[item.name].map { (item, $0) } }
    }

    /// The replaced and deleted backups that are not to stay.
    func expired(of entries: [HistoryEntry], by clock: ObservedClock) -> [HistoryEntry] {
        ordered(entries).filter { $0.entry.origin == .replaced }.dropFirst(Self.least)
            .filter { isExpired($0.item, by: clock) }.map(\.entry)
    }

    /// The mirrored backups that are not to stay. The newest one and the normal one stay, because the next ones are
    /// compared with them. One that was also replaced on its server stays as long as others of its kind, too.
    /// - Parameter normal: the digest of the normal backup.
    func superfluous(
        of entries: [HistoryEntry], _ retention: Retention, normal: Digest?, by clock: ObservedClock
    ) -> [HistoryEntry] {
        let all = ordered(entries)
        let mirrored = all.filter { $0.entry.origin != .replaced }
        let kept = retention.kept(
            mirrored.map { ObservedTimestamp(sum: $0.item.sum, wall: Timestamp(milliseconds: $0.entry.milliseconds)) })
        let prefix = normal.map { Array($0.bytes.prefix(8)) }
        let replaced = Set(all.filter { $0.entry.origin != .mirrored }.prefix(Self.least).map(\.item.number))
        return mirrored.enumerated().dropFirst().filter { index, mirrored in
            !kept.contains(index) && mirrored.entry.digestPrefix != prefix
                && (mirrored.entry.origin == .mirrored
                    || isExpired(mirrored.item, by: clock) && !replaced.contains(mirrored.item.number))
        }.map(\.element.entry)
    }

    private func isExpired(_ item: Item, by clock: ObservedClock) -> Bool {
        clock.age(of: item.sum) > .days(Self.days)
    }
}

extension HistoryIndex.Item {
    /// Whether the digest of the entry begins with these bytes.
    fileprivate func isOf(_ prefix: [UInt8]) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "-"))
        return parts.count > 1 && parts[1].elementsEqual(Hex.encode(prefix).utf8)
    }
}
