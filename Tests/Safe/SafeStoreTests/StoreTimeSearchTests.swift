import Encodings
import SafeWire
import StoreKit
import Testing
import VectorKit

@testable import SafeStore

/// A search over all orders of a few events in the life of a store: uploads, sweeps, ends of the process, and one time
/// with a wrong clock, from before the first reading on or later. The true ages are known, and are compared with what
/// each sweep decides. Each sweep deletes always, so that the rule about one in ten does not help.
@Suite("One time with a wrong clock")
struct StoreTimeSearchTests {
    private enum Event: CaseIterable { case month, idle, boots, upload, clientUpload, sweep, kill, clock }

    /// A backup, or the previous one that became of it.
    private struct Entry {
        /// By the store's time.
        var time: Timestamp
        /// The true day.
        var day: Int
    }

    private struct Found {
        var sequences = 0
        var deleted = 0
        var early = 0
        var tooEarly = 0
    }

    private struct Store {
        static let term = 40
        static let keep = 20
        static let cap = 7

        let error: Int
        var day = 0
        var isWrong = false
        var mayGoWrong = true
        var beganAhead = false
        var memory: StoreTime?
        var file: StoreTime?
        var backups: [UInt8: Entry]
        var previous: [Entry] = []

        var wall: Timestamp { StoreKit.day(day + (isWrong ? error : 0)) }

        @discardableResult
        private mutating func read(atDay day: Int) -> Timestamp {
            read(StoreKit.day(day), keeping: true)
        }

        private mutating func read(keeping: Bool) -> Timestamp { read(wall, keeping: keeping) }

        private mutating func read(_ wall: Timestamp, keeping: Bool) -> Timestamp {
            let newest = (backups.values.map(\.time) + previous.map(\.time)).max()
            let isNew = memory == nil && file == nil
            if isNew, newest == nil, isWrong, error > 0 { beganAhead = true }
            var time = memory ?? file ?? StoreTime(at: wall, newest: newest)
            if keeping { time = time.joined(file) }
            let now = time.read(wall)
            memory = time
            if keeping || isNew { file = StoreTime(stored: time.bytes) }
            return now
        }

        private mutating func sweep(_ found: inout Found) {
            let now = read(keeping: true)
            let sweep = Sweep(
                retentionDays: Self.term - 30, keepPrevious: .days(Self.keep),
                now: ClockReading(wall: wall, monotonic: .zero), last: nil, deleting: .always
            ).at(now)
            for each in previous where sweep.isOld(replaced: each.time) { judge(each, Self.keep, &found) }
            previous.removeAll { sweep.isOld(replaced: $0.time) }
            for (name, each) in backups where sweep.isExpired(lastUpload: each.time) {
                judge(each, Self.term, &found)
                backups[name] = nil
                previous.append(Entry(time: now, day: day))
            }
        }

        private func judge(_ entry: Entry, _ term: Int, _ found: inout Found) {
            found.deleted += 1
            if day - entry.day <= term { found.early += 1 }
            if day - entry.day <= term - Self.cap { found.tooEarly += 1 }
        }

        /// - Returns: false if it cannot happen now.
        mutating func happen(_ event: Event, _ found: inout Found) -> Bool {
            switch event {
            case .month:
                for _ in 0..<7 {
                    day += 5
                    sweep(&found)
                }
            case .idle: day += 30
            case .boots:
                // A machine without a battery: each start, and an upload before the right time is there.
                guard !isWrong, error < 0 else { return false }
                for _ in 0..<7 {
                    memory = nil
                    read(atDay: -20_000)
                    backups[3] = Entry(time: read(atDay: -20_000), day: day)
                    sweep(&found)
                    day += 1
                }
            case .upload: backups[1] = Entry(time: read(keeping: false), day: day)
            case .clientUpload:
                // Another machine, whose clock is right. To a store that began ahead of it when it was empty, the file
                // looks old: nothing tells it from one that is.
                guard !beganAhead else { return false }
                backups[2] = Entry(time: StoreKit.day(day), day: day)
            case .sweep: sweep(&found)
            case .kill:
                guard memory != nil else { return false }
                memory = nil
            case .clock:
                guard isWrong || mayGoWrong else { return false }
                mayGoWrong = false
                isWrong.toggle()
            }
            return true
        }
    }

    private func search(_ store: Store, _ depth: Int, _ found: inout Found) {
        guard depth > 0 else {
            found.sequences += 1
            return
        }
        for event in Event.allCases {
            var next = store
            if next.happen(event, &found) { search(next, depth - 1, &found) }
        }
    }

    @Test("Nothing is deleted more than one step early", arguments: [-400, -8, -3, 3, 8, 41, 400])
    func neverEarly(error: Int) {
        for backups in [[:], [UInt8(0): Entry(time: StoreKit.day(-5), day: -5)]] {
            var found = Found()
            search(Store(error: error, backups: backups), 5, &found)
            #expect(found.tooEarly == 0)
            #expect(found.sequences > 5000 && found.deleted > 50)
            // The search sees what a wrong clock costs, so it would see it cost more.
            #expect(found.early > 0 || abs(error) < Store.cap)
        }
    }

    @Test func `a machine that starts in 1970 each day does not make its store older`() {
        for first in [day(0), Timestamp(milliseconds: 0)] {
            var time = StoreTime(at: first, newest: nil)
            let begun = time.read(day(0))
            for number in 1...300 {
                let asleep = time.read(Timestamp(milliseconds: 0))
                let awake = time.read(Timestamp(milliseconds: 60_000))
                #expect(awake - asleep == .seconds(60))
                #expect(time.read(day(number)) - begun == .days(number))
            }
        }
    }

    /// Two readings in 1970 at each start, as of a sweep and an upload, and right ones after that.
    @Test(arguments: [[1, 1, 1, 1, 3], [1, 4, 2, 3, 2, 1], [2, 3, 1, 4, 2, 6, 5, 2, 1, 3, 6, 2]], [1, 2, 3])
    func `a machine that is off for days, and starts in 1970, does not make its store older`(
        _ days: [Int], _ readings: Int
    ) {
        var time = StoreTime(at: day(0), newest: nil)
        let begun = time.read(day(0))
        var number = 0
        for gap in (0..<8).flatMap({ _ in days }) {
            number += gap
            for each in 0..<readings { _ = time.read(Timestamp(milliseconds: 20_000 + Int64(each) * 40_000)) }
            time = StoreTime(stored: time.bytes)!
            // The first right reading of a start is minutes late, and not each day as much.
            let late = Duration.seconds(number * 7919 % 3600)
            let age = time.read(day(number) + late) - begun
            #expect(age <= .days(number) + late && age >= .days(number) - .hours(1))
            _ = time.read(day(number) + .hours(8))
        }
    }

    /// All orders that these seeds make of times off, of starts in 1970, and of times on.
    @Test(arguments: 0..<100 as Range<UInt64>)
    func `a right clock that starts in 1970 never makes a store older than it is`(_ seed: UInt64) {
        let random = SeededRandom(seed: seed)
        var (time, wall) = (StoreTime(at: day(0), newest: nil), day(0))
        let begun = time.read(wall)
        for _ in 0..<100 {
            wall = wall + .seconds(random.number(below: 6 * 86_400))
            for each in 0..<random.number(below: 4) { _ = time.read(Timestamp(milliseconds: Int64(each) * 60_000)) }
            for _ in 0...random.number(below: 3) {
                #expect(time.read(wall) - begun <= wall - day(0))
                wall = wall + .seconds(random.number(below: 86_400))
            }
        }
    }

    @Test func `the first reading may be far ahead of what is stored, and far behind`() {
        var ahead = StoreTime(at: day(400), newest: day(0))
        #expect(ahead.read(day(400)) == day(7))
        #expect(ahead.read(day(1)) == day(7))
        var right = StoreTime(at: day(3), newest: day(400))
        #expect(right.read(day(3)) == day(3))
        var empty = StoreTime(at: day(3), newest: nil)
        #expect(empty.read(day(4)) == day(4))
    }

    @Test(arguments: ["", "{}", "[]", #"{"sum":1}"#, #"{"wall":1}"#, #"{"sum":"1","wall":1}"#, #"{"sum":1,"wall":1"#])
    func `a damaged clock is no clock`(_ text: String) { #expect(StoreTime(stored: Array(text.utf8)) == nil) }

    @Test func `extreme clocks are read without overflow`() throws {
        let ends = [Int64.min, 0, Int64.max]
        for sum in ends {
            for wall in ends {
                var time = try #require(StoreTime(stored: Array(#"{"sum":\#(sum),"wall":\#(wall)}"#.utf8)))
                for now in ends { _ = time.read(Timestamp(milliseconds: now)) }
                #expect(StoreTime(stored: time.bytes)?.bytes == time.bytes)
            }
        }
    }
}
