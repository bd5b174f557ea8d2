import Encodings
import ObservedTime
import Testing

@Suite("Observed time")
struct ObservedClockTests {
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)
    private static func day(_ days: Int) -> Timestamp { start + .days(days) }

    @Test("Each reading adds what has passed, between nothing and a week")
    func steps() {
        var clock = ObservedClock()
        let sums = [0, 1, 8, 108, 50, 50, 51].map { clock.read(Self.day($0)).sum }
        #expect(sums == [0, 1, 8, 15, 15, 15, 16].map { Duration.days($0) })
    }

    @Test("Before the first reading nothing has passed")
    func first() {
        var clock = ObservedClock()
        #expect(clock.wall == nil)
        let now = clock.read(Self.day(0))
        #expect(now == ObservedTimestamp(sum: .zero, wall: Self.day(0)))
        #expect(clock.wall == Self.day(0))
    }

    @Test("The ends of the timescale do not overflow")
    func ends() {
        var clock = ObservedClock(sum: .days(1), wall: Timestamp(milliseconds: .min))
        #expect(clock.read(Timestamp(milliseconds: .max)).sum == .days(8))
        #expect(clock.read(Timestamp(milliseconds: .min)).sum == .days(8))
        #expect(ObservedClock(sum: .days(-1)).sum == .zero)
    }

    @Test("An event without a time counts from the beginning of the clock, and one ahead of it has no age")
    func ages() {
        let clock = ObservedClock(sum: .days(20), wall: Self.day(0))
        #expect(clock.age(of: nil) == .days(20))
        #expect(clock.age(of: .days(5)) == .days(15))
        #expect(clock.age(of: .days(21)) == .zero)
        #expect(clock.age(of: .days(-5)) == .days(20))
    }

    @Test("An alarm takes the larger age, and none from a wall clock in the future")
    func alarm() {
        let clock = ObservedClock(sum: .days(20), wall: Self.day(100))
        func age(_ sum: Int, _ day: Int) -> Duration {
            ObservedTimestamp(sum: .days(sum), wall: Self.day(day)).alarmAge(by: clock)
        }
        #expect(age(5, 0) == .days(100))
        #expect(age(5, 90) == .days(15))
        #expect(age(5, 2000) == .days(15))
        #expect(age(20, 2000) == .zero)
    }

    @Test("A timestamp of a run whose clock is behind has the time of the run before it")
    func behind() {
        var clock = ObservedClock()
        clock.read(Self.day(0))
        let event = clock.read(Self.day(-4000))
        clock.read(Self.day(1))
        #expect(event.alarmAge(by: clock) == .days(7))
        // From then on it grows as time passes.
        clock.read(Self.day(3))
        #expect(event.alarmAge(by: clock) == .days(9))
    }
}
