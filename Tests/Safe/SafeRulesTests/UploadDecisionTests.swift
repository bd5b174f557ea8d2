import Encodings
import Testing
import SafeRules
import VectorKit

/// When a backup is due.
@Suite struct UploadDecisionTests {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)
    private static let hour: Int64 = 3_600_000
    private static let day: Int64 = 24 * hour

    /// A moment so many milliseconds ago.
    private static func ago(_ milliseconds: Int64) -> Timestamp {
        Timestamp(milliseconds: now.milliseconds - milliseconds)
    }

    /// Unchanged, uploaded yesterday, seen just now, 180 days: what each case changes.
    private static func past(
        _ signs: UploadDecision.Signs = .unchanged, lastUpload: Timestamp? = ago(day),
        lastSeen: Timestamp? = now, notBefore: Timestamp? = nil, retentionDays: Int64 = 180
    ) -> UploadDecision.Past {
        UploadDecision.Past(
            signs, lastUpload: lastUpload, lastSeen: lastSeen, notBefore: notBefore, retentionDays: retentionDays)
    }

    private func decide(_ past: UploadDecision.Past, isForced: Bool = false) -> UploadDecision {
        UploadDecision.decide(past, isForced: isForced, now: Self.now)
    }

    /// Android knows no look at the server in between: for it, an upload that is recent is there.
    @Test(arguments: try Vector.all(in: .safeUploadDecision)) func `an app's rule`(_ vector: Vector) throws {
        let now = try Timestamp(milliseconds: Int64(vector.inputs.integer("now_ms")))
        var signs: UploadDecision.Signs = []
        if try vector.inputs.bool("hash_unchanged") { signs.insert(.unchanged) }
        if try vector.inputs.integer("last_error_code") != 0 { signs.insert(.failed) }
        let decision = try UploadDecision.decide(
            UploadDecision.Past(
                signs, lastUpload: Timestamp(milliseconds: Int64(vector.inputs.integer("last_upload_ms"))),
                lastSeen: now,
                notBefore: nil, retentionDays: Int64(vector.inputs.integer("retention_days"))),
            isForced: vector.inputs.bool("force"), now: now)
        let action = try vector.expected.string("action")
        switch decision {
        case .upload: #expect(action == "upload")
        case .unchanged: #expect(action == "skip_unchanged")
        case .deferred: #expect(action == "skip_grace")
        case .confirm, .wait: Issue.record("\(decision)")
        }
    }

    private static let grace: [(Int64, UploadDecision)] = [
        (23 * hour, .upload(.changed)), (23 * hour + 1, .upload(.changed)), (400 * day, .upload(.changed)),
        (23 * hour - 1, .deferred(until: ago(-1))), (22 * hour + 59 * 60_000 + 59_000, .deferred(until: ago(-1000))),
        (0, .deferred(until: ago(-23 * hour))),
        // In the future: a clock was wrong, and that keeps nothing from being uploaded.
        (-1, .upload(.changed)), (-400 * day, .upload(.changed)),
    ]

    @Test(arguments: grace) func `changed content waits for 23 hours at most`(_ age: Int64, _ decision: UploadDecision)
    {
        #expect(decide(Self.past([], lastUpload: Self.ago(age))) == decision)
    }

    @Test func `changed content that was never uploaded is uploaded`() {
        #expect(decide(Self.past([], lastUpload: nil, lastSeen: nil)) == .upload(.changed))
    }

    @Test func `unchanged content that was never uploaded, or in the future, is uploaded`() {
        #expect(decide(Self.past(lastUpload: nil)) == .upload(.changed))
        #expect(decide(Self.past(lastUpload: Self.ago(-1))) == .upload(.changed))
        #expect(decide(Self.past(lastUpload: Timestamp(milliseconds: .max))) == .upload(.changed))
    }

    private static let ages: [(Int64, Int64, UploadDecision)] = [
        (180, 90 * day, .upload(.refresh)), (180, 90 * day - 1, .unchanged), (180, 0, .unchanged),
        (30, 15 * day, .upload(.refresh)), (30, 15 * day - 1, .unchanged), (1, day / 2, .upload(.refresh)),
        (1, day / 2 - 1, .unchanged), (3650, 1825 * day, .upload(.refresh)), (3650, 1825 * day - 1, .unchanged),
        // Senseless retentions count as 180 days.
        (0, 90 * day, .upload(.refresh)), (0, 90 * day - 1, .unchanged), (-1, 90 * day - 1, .unchanged),
        (3651, 90 * day, .upload(.refresh)), (.min, 90 * day - 1, .unchanged), (.max, 90 * day, .upload(.refresh)),
    ]

    @Test(arguments: ages) func `unchanged content is refreshed after half of the retention`(
        _ retentionDays: Int64, _ age: Int64, _ decision: UploadDecision
    ) {
        #expect(decide(Self.past(lastUpload: Self.ago(age), retentionDays: retentionDays)) == decision)
    }

    private static let looks: [(Int64, UploadDecision)] = [
        (0, .unchanged), (7 * day - 1, .unchanged), (7 * day, .confirm), (80 * day, .confirm),
        (-1, .confirm), (-400 * day, .confirm),
    ]

    @Test(arguments: looks) func `unchanged content is looked for once a week`(_ age: Int64, _ decision: UploadDecision)
    {
        let past = Self.past(lastUpload: Self.ago(80 * Self.day), lastSeen: Self.ago(age))
        #expect(decide(past) == decision)
    }

    @Test func `a backup that was never seen is looked for`() {
        #expect(decide(Self.past(lastSeen: nil)) == .confirm)
    }

    @Test(arguments: [true, false]) func `after a failure everything is uploaded`(_ isUnchanged: Bool) {
        for lastUpload in [nil, Self.now, Self.ago(1), Self.ago(400 * Self.day), Self.ago(-1)] {
            let past = Self.past(isUnchanged ? [.unchanged, .failed] : .failed, lastUpload: lastUpload)
            #expect(decide(past) == .upload(.afterFailure))
        }
    }

    private static let waits: [(Int64, Bool)] = [
        (1, true), (hour, true), (24 * hour, true), (24 * hour + 1, false), (400 * day, false), (0, false),
        (-1, false), (.max - now.milliseconds, false), (-now.milliseconds, false),
    ]

    @Test(arguments: waits) func `a server may ask for a day's wait, not for more`(_ wait: Int64, _ isHeard: Bool) {
        let timestamp = Timestamp(milliseconds: Self.now.milliseconds + wait)
        for signs in [[], .unchanged, .failed, [.unchanged, .failed]] as [UploadDecision.Signs] {
            let past = Self.past(signs, lastUpload: Self.ago(Self.day), notBefore: timestamp)
            let isWaiting = decide(past) == .wait(until: timestamp)
            #expect(isWaiting == isHeard)
        }
    }

    @Test func `force comes before everything`() {
        for past in [
            Self.past(), Self.past([], lastUpload: Self.now), Self.past([.unchanged, .failed]),
            Self.past(lastUpload: nil), Self.past(notBefore: Self.ago(-Self.hour)),
        ] {
            #expect(decide(past, isForced: true) == .upload(.forced))
        }
    }

    @Test func `the age of a refresh is half of the retention`() {
        #expect(UploadDecision.refreshAge(180) == .seconds(90 * 86_400))
        #expect(UploadDecision.refreshAge(1) == .seconds(43_200))
        #expect(UploadDecision.refreshAge(.max) == .seconds(90 * 86_400))
    }
}
