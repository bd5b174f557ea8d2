internal import Encodings

/// Which previous backups a store retains, beside those that are old (`Sweep`): of each backup the newest ones and, of
/// each day, the first and the last one that was uploaded on it. So a client that overwrites a backup again and again, or
/// an attacker, pushes out versions of that day, and not what was there before it.
public struct VersionRule: Equatable, Sendable {
    /// The newest ones that are retained of each backup, if the operator does not say. Enough for the tries of an
    /// afternoon; what a client uploads once a day is retained by its day.
    public static let standardNewest = 5

    /// All previous backups of an account together may be this many times as long as its quota.
    private static let quotaFactor = 2
    private static let slack = 64
    /// A previous backup that was the present one for this long is as good as one that was so for longer. No previous
    /// backup is retained for longer by default, so an attacker cannot wait until his own are as good.
    private static let settled = Duration.days(7)
    /// From half of it on, the time as the present backup is rounded to whole ones. Daily uploads differ by minutes: of
    /// those, the oldest has to go, and not the one that was early.
    private static let step = Duration.days(1)

    /// How many of the newest previous backups of each backup are retained.
    public let newest: Int

    /// - Parameter newest: at least 1.
    public init(newest: Int = standardNewest) { self.newest = newest }

    /// A previous backup, by the store's time.
    struct Version: Hashable {
        /// What the caller knows it by.
        let name: String
        let uploaded: Timestamp
        let replaced: Timestamp
        /// Length in bytes.
        let count: Int
    }

    /// - Parameter versions: all previous backups of one id.
    /// - Returns: those that are not retained.
    func excess(of versions: [Version]) -> [Version] {
        let newestFirst = versions.sorted { ($1.replaced, $1.uploaded) < ($0.replaced, $0.uploaded) }
        var ofDay: [Int64: (first: Version, last: Version)] = [:]
        for each in newestFirst {
            let day = each.uploaded.dayNumber
            let (first, last) = ofDay[day] ?? (each, each)
            ofDay[day] = (first.uploaded < each.uploaded ? first : each, last.uploaded < each.uploaded ? each : last)
        }
        return newestFirst.dropFirst(newest).filter {
            guard let (first, last) = ofDay[$0.uploaded.dayNumber] else { return true }
            return $0 != first && $0 != last
        }
    }

    /// Most bytes of the previous backups of an account with this quota.
    static func limit(quota: Int) -> Int {
        let (limit, isUnlimited) = quota.multipliedReportingOverflow(by: quotaFactor)
        return isUnlimited ? .max : limit
    }

    /// What is beyond the quota of an account: those go first that were the present backup for the shortest time, and
    /// of equal ones the oldest. So an attacker's have to stay for as many days as what they push out, up to a week;
    /// half a day counts as one. The newest one is retained, too. It has room beside all that the account had at one
    /// time: each of both is no longer than the quota. Of very many, one in `slack` goes at once, so that the next
    /// writes need not look at all of them.
    /// - Parameters:
    ///   - all: all previous backups of an account.
    ///   - quota: of its present backups, in bytes.
    /// - Returns: those that are not retained. The newest and the last in that order are, however long they are.
    func excess(of all: [Version], beyond quota: Int) -> [Version] {
        let limit = Self.limit(quota: quota)
        var bytes = all.reduce(0) { $0 + $1.count }
        guard bytes > limit else { return [] }
        let newest = all.max { ($0.replaced, $0.uploaded) < ($1.replaced, $1.uploaded) }
        let ordered = all.sorted { (Self.life(of: $0), $0.replaced) < (Self.life(of: $1), $1.replaced) }
        var gone: [Version] = []
        for each in ordered.dropLast() where each != newest {
            guard bytes > limit || gone.count < all.count / Self.slack else { break }
            bytes -= each.count
            gone.append(each)
        }
        return gone
    }

    /// How long a backup was the present one, as it counts in the order above.
    private static func life(of version: Version) -> Duration {
        let life = version.replaced - version.uploaded
        guard life >= step / 2 else { return life }
        return .days(Int((min(life, settled) + step / 2) / step))
    }
}
