import CommandLine
import Console
import Encodings
import Threema
import ThreemaKeeping
import ThreemaRecords

/// How old the newest emergency kit of an identity is, and whether it still leads to its Safe.
struct KitAge {
    private let record: KitRecord
    /// Whether a Safe has changed since.
    let isOutdated: Bool

    /// - Returns: nil if no kit was made here, or if that cannot be read.
    init?(of id: ThreemaID, in keeper: ThreemaKeeper) {
        guard let kit = (try? keeper.kits.kit(of: id)) ?? nil else { return nil }
        record = kit.record
        isOutdated = kit.isOutdated
    }

    /// Like `made 40 days ago, its code checked 2 days ago`.
    var words: String {
        let now = WallClock.now()
        return "made \(now.age(of: record.madeAt))"
            + (record.checkedAt.map { ", its code checked \(now.age(of: $0))" } ?? "")
            + (isOutdated ? "; the Safe has changed since: write a new one, keytool backup kit ID -o FILE.pdf" : "")
    }

    var json: JSONValue {
        .members([
            ("made_at", .string(record.madeAt.rfc3339)),
            ("checked_at", record.checkedAt.map { .string($0.rfc3339) }), ("outdated", .bool(isOutdated)),
        ])
    }
}

extension Timestamp {
    /// How long before this time another one was, like `2 days ago`; never negative.
    func age(of time: Timestamp) -> String { "\(Counted.text(max(0, Int((self - time).days)), "day")) ago" }
}
