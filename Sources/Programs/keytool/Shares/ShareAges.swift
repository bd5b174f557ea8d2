import CommandLine
import Console
import Encodings
import Threema
import ThreemaKeeping
import ThreemaRecords

/// When each share of the newest set was last checked, or that it was only made.
struct ShareAges {
    private let set: ShareRecord.Set
    private let now: Timestamp
    /// Whether so many shares of a set were checked that the key can be restored from them. A command that was killed has
    /// made shares that nobody has.
    let areEnoughChecked: Bool

    /// - Returns: nil if the key was never shared here, or if that cannot be read.
    init?(of id: ThreemaID, in keeper: ThreemaKeeper) {
        let sets = (try? keeper.shares.sets(of: id)) ?? []
        guard let set = sets.first else { return nil }
        self.set = set
        areEnoughChecked = sets.contains { set in set.shares.count { $0.checkedAt != nil } >= set.threshold }
        now = WallClock.now()
    }

    /// Like `3 of 5 needed; share 1 checked 2 days ago, shares 2, 3, 4, 5 made 40 days ago`.
    var words: String {
        let made = "made \(now.age(of: set.madeAt))"
        var groups: [(words: String, numbers: [String])] = []
        for (index, share) in set.shares.enumerated() {
            let words = share.checkedAt.map { "checked \(now.age(of: $0))" } ?? made
            if let place = groups.firstIndex(where: { $0.words == words }) {
                groups[place].numbers.append("\(index + 1)")
            } else {
                groups.append((words, ["\(index + 1)"]))
            }
        }
        let list = groups.map {
            "share\($0.numbers.count == 1 ? "" : "s") \($0.numbers.joined(separator: ", ")) \($0.words)"
        }
        return "\(set.threshold) of \(set.shares.count) needed; " + list.joined(separator: ", ")
    }

    var json: JSONValue {
        .array(
            set.shares.enumerated().map { index, share in
                .members([
                    ("number", .number(index + 1)), ("made_at", .string(set.madeAt.rfc3339)),
                    ("checked_at", share.checkedAt.map { .string($0.rfc3339) }),
                ])
            })
    }
}
