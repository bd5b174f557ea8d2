import Encodings
import Testing
import SafeRules

/// Clocks and states of no sense: whatever is remembered, nothing traps and no upload is put off for good.
@Suite struct UploadDecisionClockTests {
    private static let hour: Int64 = 3_600_000
    private static let longestWait = 24 * hour
    private static let grace = 23 * hour

    /// 1970, 2038 and 2106, where counters of seconds end, the ends of the years with four digits, and of 64 bits.
    static let timestamps: [Int64] = [
        .min, -1, 0, 2_147_483_647_000, 2_147_483_648_000, 4_294_967_296_000, 253_402_300_799_000, .max,
    ]

    private static let retentions: [Int64] = [.min, -1, 0, 1, 30, 180, 3650, 3651, .max]

    /// What must hold of a decision, whatever was remembered.
    private func isSound(_ decision: UploadDecision, _ past: UploadDecision.Past, now: Timestamp) -> Bool {
        switch decision {
        case .upload: return true
        case .wait(let timestamp): return now < timestamp && timestamp - now <= .milliseconds(Self.longestWait)
        case .deferred(let timestamp):
            return past.signs.isDisjoint(with: [.unchanged, .failed]) && now < timestamp
                && timestamp - now <= .milliseconds(Self.grace)
        case .confirm, .unchanged:
            guard let lastUpload = past.lastUpload else { return false }
            return past.signs.contains(.unchanged) && !past.signs.contains(.failed) && lastUpload <= now
        }
    }

    @Test func `no clock and no state makes it trap or say something unsound`() {
        var unsound: [String] = []
        var count = 0
        let remembered = Self.timestamps.map { Timestamp(milliseconds: $0) as Timestamp? } + [nil]
        for now in Self.timestamps.map(Timestamp.init) {
            for lastUpload in remembered {
                for lastSeen in remembered {
                    for notBefore in remembered {
                        for signs in [.unchanged, [], [.unchanged, .failed]] as [UploadDecision.Signs] {
                            let retentionDays = Self.retentions[count % Self.retentions.count]
                            count += 1
                            let past = UploadDecision.Past(
                                signs, lastUpload: lastUpload, lastSeen: lastSeen, notBefore: notBefore,
                                retentionDays: retentionDays)
                            let decision = UploadDecision.decide(past, isForced: false, now: now)
                            if !isSound(decision, past, now: now) { unsound.append("\(past) at \(now): \(decision)") }
                        }
                    }
                }
            }
        }
        #expect(unsound == [])
        #expect(count == 8 * 9 * 9 * 9 * 3)
    }

    @Test(arguments: [0, 2_147_483_647_000, 2_147_483_648_000, 4_294_967_295_000, 4_294_967_296_000] as [Int64])
    func `the table holds at the ends of counters`(_ milliseconds: Int64) {
        let now = Timestamp(milliseconds: milliseconds)
        var past = UploadDecision.Past(
            .unchanged, lastUpload: now, lastSeen: now, notBefore: nil, retentionDays: 180)
        #expect(UploadDecision.decide(past, isForced: false, now: now) == .unchanged)
        past.signs = []
        #expect(UploadDecision.decide(past, isForced: false, now: now) == .deferred(until: now + .hours(23)))
        #expect(UploadDecision.decide(past, isForced: false, now: now + .hours(23)) == .upload(.changed))
        // The clock was set back over the last upload.
        #expect(UploadDecision.decide(past, isForced: false, now: now + .milliseconds(-1)) == .upload(.changed))
    }

    @Test func `changed content is uploaded within 24 hours of waiting and 23 of grace`() {
        var generator = SystemRandomNumberGenerator()
        var delays: [Int64] = []
        for _ in 0..<20_000 {
            let start = Int64.random(in: 0...4_294_967_296_000, using: &generator)
            var now = Timestamp(milliseconds: start)
            let past = UploadDecision.Past(
                Int.random(in: 0..<10, using: &generator) == 0 ? .failed : [],
                lastUpload: timestamp(near: start, &generator), lastSeen: timestamp(near: start, &generator),
                notBefore: timestamp(near: start, &generator),
                retentionDays: .random(in: .min ... .max, using: &generator)
            )
            // A push at each of the given times has uploaded after three runs at most.
            var runs = 0
            loop: while runs < 3 {
                runs += 1
                switch UploadDecision.decide(past, isForced: false, now: now) {
                case .upload: break loop
                case .deferred(let timestamp), .wait(let timestamp): now = timestamp
                case .confirm, .unchanged: Issue.record("changed content was taken for unchanged: \(past)")
                }
            }
            #expect(UploadDecision.decide(past, isForced: false, now: now).isUpload, "\(past) from \(start)")
            delays.append(now.milliseconds - start)
        }
        #expect(delays.allSatisfy { (0...Self.longestWait + Self.grace).contains($0) })
        // The bound is not met by uploading always: long delays do occur.
        #expect(delays.contains { $0 > 36 * Self.hour })
    }

    private func timestamp(near start: Int64, _ generator: inout SystemRandomNumberGenerator) -> Timestamp? {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: return nil
        case 1: return Timestamp(milliseconds: Self.timestamps.randomElement(using: &generator)!)
        default:
            return Timestamp(
                milliseconds: start + Int64.random(in: -50 * Self.hour...50 * Self.hour, using: &generator))
        }
    }
}

extension UploadDecision {
    fileprivate var isUpload: Bool { if case .upload = self { true } else { false } }
}
