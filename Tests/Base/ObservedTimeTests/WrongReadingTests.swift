import Encodings
import ObservedTime
import Testing

/// A search over stores that are written every so many days, with one wrong reading anywhere. The true age of an entry
/// is known, so it can be compared with the observed one.
@Suite("One wrong reading of the wall clock")
struct WrongReadingTests {
    private static let term = 90
    private static let step = 7
    private static let errors = [-4000, -400, -91, -90, -30, -8, -7, -6, -1, 1, 6, 7, 8, 30, 90, 91, 100, 400, 3000]

    /// A store that is written every `gap` days, whose entry is from day 0.
    private struct Store {
        var clock = ObservedClock()
        var entry: ObservedTimestamp?
        let gap: Int
        /// The number of readings before the entry, so that its time may be that of the wrong reading or a later one.
        let before: Int

        /// One run of a program: the clock is stored between two of them, and nothing else is.
        mutating func run(_ number: Int, off error: Int) {
            var clock = ObservedClock(sum: clock.sum, wall: clock.wall)
            let now = clock.read(wall(number, off: error))
            if number == before { entry = ObservedTimestamp(sum: now.sum, wall: now.wall, latest: now.latest) }
            self.clock = clock
        }

        func wall(_ number: Int, off error: Int) -> Timestamp {
            Timestamp(milliseconds: 1_800_000_000_000) + .days((number - before) * gap + error)
        }

        func trueAge(_ number: Int) -> Duration { .days((number - before) * gap) }
    }

    /// - Parameter body: gets the store after each run from that of the entry on.
    /// - Returns: the number of runs.
    private func search(_ error: Int, _ body: (_ store: Store, _ run: Int, _ wrong: Int) -> Void) -> Int {
        var count = 0
        for gap in 1...14 {
            let before = 2
            let last = before + (Self.term + 4 * Self.step) / gap + 2
            for wrong in 0...last + 1 {
                var store = Store(gap: gap, before: before)
                for number in 0...last {
                    store.run(number, off: number == wrong ? error : 0)
                    guard number >= before else { continue }
                    body(store, number, wrong)
                    count += 1
                }
            }
        }
        return count
    }

    @Test("Nothing expires more than one step early", arguments: errors)
    func neverEarly(error: Int) {
        var (early, expired) = (0, 0)
        let count = search(error) { store, number, _ in
            let age = store.clock.age(of: store.entry?.sum)
            if age > store.trueAge(number) + .days(Self.step) { early += 1 }
            if age > .days(Self.term) { expired += 1 }
        }
        #expect(early == 0)
        #expect(count > 4000)
        // The search sees entries expire, so it would see it happen early.
        #expect(expired > 100)
    }

    @Test("A store that is read once a step loses two gaps at most to a wrong reading", arguments: errors)
    func notLate(error: Int) {
        var late = 0
        _ = search(error) { store, number, wrong in
            guard store.gap <= Self.step, number != wrong else { return }
            let age = store.clock.age(of: store.entry?.sum)
            if age < store.trueAge(number) - .days(2 * store.gap) { late += 1 }
        }
        #expect(late == 0)
    }

    @Test("An alarm is at most one step early and two gaps late once the clock is right again", arguments: errors)
    func alarm(error: Int) {
        var (early, late) = (0, 0)
        _ = search(error) { store, number, wrong in
            guard number != wrong, let entry = store.entry else { return }
            let age = entry.alarmAge(by: store.clock)
            // The entry has the wall time of the reading before it, if that was later.
            if age > store.trueAge(number) + .days(max(Self.step, store.gap)) { early += 1 }
            // By the wall clock where it was right. Where it was wrong at the entry, as long as steps observe it.
            let isLate = age < store.trueAge(number) - .days(2 * store.gap)
            if isLate, store.gap <= Self.step || ![store.before, store.before - 1].contains(wrong) { late += 1 }
        }
        #expect(early == 0)
        #expect(late == 0)
    }
}
