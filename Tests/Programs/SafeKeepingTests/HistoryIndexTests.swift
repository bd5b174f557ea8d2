import Encodings
import Foundation
import Keystore
import ObservedTime
import SafeRules
import Testing
import VectorKit

@testable import SafeKeeping

/// Numbers and ages of the backups in a history.
@Suite struct HistoryIndexTests {
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)

    private func entry(
        _ number: Int, at time: Timestamp = start, _ origin: HistoryEntry.Origin = .replaced
    ) -> HistoryEntry {
        let prefix: [UInt8] = [0, 0, 0, 0, 0, 0, UInt8(number >> 8), UInt8(number & 255)]
        return HistoryEntry(
            name: "\(time.compact)-\(Hex.encode(prefix))-\(origin.rawValue)", milliseconds: time.milliseconds,
            digestPrefix: prefix, origin: origin, count: 100)
    }

    /// The same index and clock as the next process reads them.
    private func restarted(_ index: HistoryIndex) -> HistoryIndex { HistoryIndex(index.value) }
    private func restarted(_ clock: ObservedClock) -> ObservedClock { ObservedClock(clock.value) }

    @Test func `numbers count upwards, stay, and are not used again`() {
        var index = HistoryIndex()
        index.update([entry(2), entry(1)], at: .zero)
        #expect(index.items.map(\.number) == [1, 2])
        index.update([entry(3), entry(2)], at: .days(1))
        #expect(index.items.map(\.number) == [2, 3])
        index.update([], at: .days(2))
        index = restarted(index)
        index.update([entry(4)], at: .days(3))
        #expect(index.items.map(\.number) == [4] && index.next == 5)
    }

    @Test func `of an endless history the newest backups are written, within what is read of a state`() throws {
        let items = (1...9000).map { HistoryIndex.Item(name: entry($0).name, number: $0, sum: .days(1000)) }
        let index = HistoryIndex(items: items)
        #expect(try #require(index.value).encoded.count < 1024 * 1024)
        #expect(restarted(index).items.count == 8192 && restarted(index).items.last?.number == 9000)
        #expect(restarted(index).next == 9001)
    }

    @Test func `a backup that is stored again keeps its number and begins a new age`() {
        var index = HistoryIndex()
        index.update([entry(2), entry(1)], at: .zero)
        index.update([entry(2), entry(1, at: Self.start + .days(50), .both)], at: .days(50))
        #expect(index.items.map(\.number) == [2, 1])
        #expect(index.items.map(\.sum) == [.zero, .days(50)])
    }

    @Test func `any state is read`() {
        #expect(HistoryIndex(nil) == HistoryIndex())
        let odd: JSONValue = ["next": -5, "backups": [["name": "x", "number": -1], 7, ["name": "y", "number": 9]]]
        #expect(HistoryIndex(odd).items.map(\.number) == [9] && HistoryIndex(odd).next == 10)
        let large: JSONValue = ["next": 3, "backups": [["name": "y", "number": .number(Int64.max)]]]
        #expect(HistoryIndex(large) == HistoryIndex(next: 3))
        #expect(ObservedClock(["sum": -7]) == ObservedClock())
    }

    // MARK: One wrong reading

    private static let errors = [-4000, -400, -91, -90, -30, -8, -7, -1, 1, 7, 8, 30, 90, 91, 100, 400, 3000]

    /// A place where every run stores a backup and removes what has expired.
    private struct Place {
        var index = HistoryIndex()
        var clock = ObservedClock()
        var held: [HistoryEntry] = []
    }

    @Test("Replaced backups go after 90 days, at most a week early", arguments: errors)
    func replaced(error: Int) {
        var (early, late, removed) = (0, 0, 0)
        for gap in 1...14 {
            let runs = (90 + 21) / gap + 12
            for wrong in stride(from: 0, to: runs, by: gap == 1 ? 5 : triesAllCases ? 1 : 3) {
                var place = Place()
                for run in 0..<runs {
                    let wall = Self.start + .days(run * gap + (run == wrong ? error : 0))
                    let now = place.clock.read(wall)
                    place.held.append(entry(run, at: wall))
                    place.held.sort { $0.name > $1.name }
                    place.index.update(place.held, at: now.sum)
                    let expired = place.index.expired(of: place.held, by: place.clock)
                    for old in expired {
                        let age = (run - Int(old.digestPrefix[7])) * gap
                        if age < 90 - 7 { early += 1 }
                        if gap <= 7, age > 90 + 3 * gap + 8 * gap { late += 1 }
                        removed += 1
                    }
                    place.held.removeAll { expired.contains($0) }
                    (place.index, place.clock) = (restarted(place.index), restarted(place.clock))
                }
            }
        }
        #expect(early == 0 && late == 0)
        #expect(removed > 500)
    }

    @Test(
        "A run with a clock that is ahead thins out no mirrored backup that a right one leaves a week later",
        arguments: [8, 30, 100, 400, 3000])
    func mirrored(error: Int) {
        for gap in [1, 3, 7, 10] {
            let runs = 420 / gap
            var right = [Place()]
            for run in 0..<runs { right.append(step(right[run], run, gap, error: 0)) }
            var lost = 0
            let week = (7 + gap - 1) / gap
            for run in 0..<runs - week {
                let wrong = Set(step(right[run], run, gap, error: error).held.map(\.digestPrefix))
                let stored = Set(right[run + 1].held.map(\.digestPrefix))
                let left = Set(right[run + 1 + week].held.map(\.digestPrefix)).intersection(stored)
                lost += left.subtracting(wrong).count
            }
            #expect(lost == 0, "every \(gap) days")
            #expect(right[runs].held.count >= 14)
        }
    }

    private func step(_ place: Place, _ run: Int, _ gap: Int, error: Int) -> Place {
        var place = place
        let wall = Self.start + .days(run * gap + error)
        let now = place.clock.read(wall)
        place.held.append(entry(run, at: wall, .mirrored))
        place.held.sort { $0.name > $1.name }
        place.index.update(place.held, at: now.sum)
        let rest = place.index.superfluous(of: place.held, .standard, normal: nil, by: place.clock)
        place.held.removeAll { rest.contains($0) }
        return place
    }

    @Test func `the rules of a right clock keep no more than those of the calendar`() {
        var place = Place()
        for run in 0..<420 { place = step(place, run, 1, error: 0) }
        let times = (0..<420).map { Self.start + .days(419 - $0) }
        let expected = Retention.standard.kept(times)
        #expect(place.held.count == expected.count)
    }
}
