import Encodings
import StoreKit
import Testing

@testable import SafeStore

/// Which previous backups are retained.
@Suite struct VersionRuleTests {
    private func version(_ name: String, _ uploaded: Timestamp, _ replaced: Timestamp, _ count: Int = 1)
        -> VersionRule.Version
    {
        VersionRule.Version(name: name, uploaded: uploaded, replaced: replaced, count: count)
    }

    /// Noon of a day, and some seconds later.
    private func at(_ number: Int, _ seconds: Int = 0) -> Timestamp { day(number) + .seconds(seconds) }

    private func left(_ versions: [VersionRule.Version], newest: Int) -> [String] {
        let gone = Set(VersionRule(newest: newest).excess(of: versions))
        return versions.filter { !gone.contains($0) }.map(\.name)
    }

    @Test func `the newest, and the first and the last of each day are retained`() {
        var versions = [version("before", at(-30), at(0))]
        for number in 0..<3 {
            for upload in 0..<9 {
                let end = upload < 8 ? at(number, upload + 1) : at(number + 1)
                versions.append(version("\(number).\(upload)", at(number, upload), end))
            }
        }
        let kept = ["before", "0.0", "0.8", "1.0", "1.8", "2.0", "2.5", "2.6", "2.7", "2.8"]
        #expect(left(versions, newest: 4) == kept)
        #expect(left(versions.reversed(), newest: 4) == kept.reversed())
        #expect(left(versions, newest: 1) == ["before", "0.0", "0.8", "1.0", "1.8", "2.0", "2.8"])
        #expect(left(versions, newest: 100).count == versions.count)
        #expect(left([], newest: 1) == [])
    }

    @Test func `an attacker who overwrites a backup all day leaves what was there before`() {
        var versions = [
            version("yesterday", at(-1), at(-1, 600)), version("last night", at(-1, 600), at(0)),
            version("today", at(0), at(0, 60)),
        ]
        // As a store does: after each write.
        for upload in 0..<1000 {
            versions.append(version("attack \(upload)", at(0, 60 + upload), at(0, 61 + upload)))
            let gone = Set(VersionRule(newest: 5).excess(of: versions))
            versions.removeAll { gone.contains($0) }
        }
        #expect(versions.map(\.name) == ["yesterday", "last night", "today"] + (995..<1000).map { "attack \($0)" })
    }

    @Test func `of one day and one time, one is the first`() {
        let same = (0..<4).map { version("\($0)", at(0), at(0)) }
        #expect(left(same, newest: 1).count == 2)
    }

    private func left(_ versions: [VersionRule.Version], quota: Int) -> [String] {
        let gone = Set(VersionRule().excess(of: versions, beyond: quota))
        return versions.filter { !gone.contains($0) }.map(\.name)
    }

    @Test func `what was present for the shortest time goes first, and then the oldest`() {
        let versions = [
            version("oldest", at(-3), at(-2), 100), version("old", at(-2), at(0), 100),
            version("minutes", at(0), at(0, 600), 100), version("seconds", at(0, 600), at(0, 601), 100),
            version("day", at(0, 601), at(1, 600), 100),
        ]
        #expect(left(versions, quota: 250).count == 5)
        #expect(left(versions, quota: 249) == ["oldest", "old", "minutes", "day"])
        #expect(left(versions, quota: 150) == ["oldest", "old", "day"])
        #expect(left(versions, quota: 149) == ["old", "day"])
        // The newest one and the one that was present for the longest time are retained, however long they are.
        #expect(left(versions, quota: 0) == ["old", "day"])
        #expect(left(versions, quota: .max).count == 5)
        #expect(left([], quota: 0) == [])
    }

    @Test func `of very many, room is made for the next ones`() {
        let many = (0..<6400).map { version("\($0)", at(0, $0), at(0, $0 + 1)) }
        #expect(left(many, quota: 3200).count == 6400)
        #expect(left(many, quota: 3199).count == 6300)
        #expect(left(many, quota: 3000).count == 6000)
        #expect(left(Array(many.prefix(63)), quota: 31).count == 62)
    }

    @Test func `what stood for a month is not pushed out by uploads that stand for half a day each`() {
        var all = [version("before", at(-30), at(0), 1_000_000)]
        for number in 1...14 {
            let (begin, end) = (at(0, (number - 1) * 43_200), at(0, number * 43_200))
            for name in ["a", "b"] { all.append(version("\(name)\(number)", begin, end, 500_000)) }
            let gone = Set(VersionRule().excess(of: all, beyond: 1_000_000))
            all.removeAll { gone.contains($0) }
            #expect(all.map(\.name) == ["before", "a\(number)", "b\(number)"])
        }
    }

    @Test func `of daily uploads the oldest goes first, and not the one that was an hour early`() {
        let minutes = [0, 40, -10, 30, -45, 60, -60, 5]
        let times = minutes.enumerated().map { at($0.offset, $0.element * 60) }
        let daily = (0..<7).map { version("\($0)", times[$0], times[$0 + 1], 100) }
        #expect(left(daily, quota: 150) == ["4", "5", "6"])
        #expect(left(daily.reversed(), quota: 250) == ["6", "5", "4", "3", "2"])
    }

    @Test func `the newest stays, also if it was present for a minute only`() {
        let versions = [
            version("week", at(-14), at(-7), 100), version("another week", at(-7), at(0), 100),
            version("minute", at(0), at(0, 60), 100),
        ]
        #expect(left(versions, quota: 100) == ["another week", "minute"])
    }

    @Test func `deleted junk does not push out what was there before it`() {
        var all = [version("before", at(-1), at(0), 300_000)]
        for number in 1...100 { all.append(version("junk \(number)", at(0, number), at(0, number + 1), 300_000)) }
        #expect(left(all, quota: 300_000) == ["before", "junk 100"])
    }
}
