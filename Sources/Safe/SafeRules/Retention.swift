package import Encodings
package import ObservedTime

/// Which backups of a history stay when it is thinned out: the newest one of each of the last days, weeks and months
/// that have any, and some of the newest. A backup stays if one of the rules keeps it.
///
/// Days, weeks (from Monday) and months are those of UTC.
package struct Retention: Hashable, Sendable {
    /// Number of the newest backups that stay.
    package var last: Int
    /// Number of days, weeks and months whose newest backup stays.
    package var daily: Int
    package var weekly: Int
    package var monthly: Int

    package init(last: Int = 0, daily: Int = 0, weekly: Int = 0, monthly: Int = 0) {
        self.last = last
        self.daily = daily
        self.weekly = weekly
        self.monthly = monthly
    }

    /// Three newest, and those of 7 days, 4 weeks and 12 months.
    package static let standard = Retention(last: 3, daily: 7, weekly: 4, monthly: 12)

    /// The indices of the backups that stay, by the times of the wall clock or by those that agree with the store's
    /// clock: a time that is wrong takes the place of no other backup.
    /// - Parameter stored: when each backup was stored, the newest first.
    package func kept(_ stored: [ObservedTimestamp]) -> Set<Int> {
        kept(stored.map(\.wall)).union(kept(Self.credible(stored)))
    }

    /// The times of the wall clock, or for one that contradicts its neighbours the latest possible time: that of the
    /// backup before, and what the store's clock has observed since. The time of the newest backup is not confirmed by
    /// another one yet.
    static func credible(_ stored: [ObservedTimestamp]) -> [Timestamp] {
        var times: [Timestamp] = []
        for (index, entry) in stored.enumerated().reversed() {
            guard let before = times.last else {
                times.append(entry.wall)
                continue
            }
            let isConfirmed = stored[max(0, index - 2)..<index].contains { $0.wall >= entry.wall }
            let observed = entry.sum - stored[index + 1].sum
            // Backups of the same observed time are from before the clock.
            let latest = isConfirmed || observed <= .zero ? entry.wall : min(entry.wall, before + observed)
            times.append(max(before, latest))
        }
        return times.reversed()
    }

    /// - Parameter timestamps: when each backup was stored, the newest first.
    package func kept(_ timestamps: [Timestamp]) -> Set<Int> {
        var kept = Set(timestamps.indices.prefix(max(0, last)))
        let rules: [(count: Int, period: (Timestamp) -> Int64)] = [
            (daily, \.dayNumber), (weekly, \.weekNumber), (monthly, \.monthNumber),
        ]
        for (count, period) in rules {
            var seen: Set<Int64> = []
            for (index, timestamp) in timestamps.enumerated() where seen.count < count {
                if seen.insert(period(timestamp)).inserted { kept.insert(index) }
            }
        }
        return kept
    }
}
