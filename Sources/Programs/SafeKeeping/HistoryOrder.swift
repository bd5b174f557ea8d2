internal import Keystore
internal import SafeRules

/// The order of backups in a history that the state does not know yet, the newest first.
///
/// By time, except that mirrored backups have the order in which they were mirrored: a clock that was wrong for one run
/// must not put a backup before or behind all others.
enum HistoryOrder {
    /// - Parameters:
    ///   - entries: the newest first, by time.
    ///   - mirror: nil if nothing is remembered. Then the times decide.
    static func sorted(_ entries: [HistoryEntry], by mirror: MirrorState?) -> [HistoryEntry] {
        let positions = Dictionary(
            (mirror?.journal ?? []).enumerated().map { (Array($1.bytes.prefix(8)), $0) }, uniquingKeysWith: max)
        func position(_ entry: HistoryEntry) -> Int? {
            entry.origin == .replaced ? nil : positions[entry.digestPrefix]
        }
        // Those of the journal share their places among themselves.
        var ordered = entries.filter { position($0) != nil }.sorted { position($0)! > position($1)! }.makeIterator()
        return entries.map { position($0) == nil ? $0 : ordered.next()! }
    }
}
