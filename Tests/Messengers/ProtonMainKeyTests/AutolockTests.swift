import Testing

@testable import ProtonMainKey

/// The limits of the rule.
@Suite struct AutolockTests {
    private static let nanosecond: Duration = .nanoseconds(1)

    private func decision(_ minutes: Int, wall: Duration, uptime: Duration) -> AutolockRule.Decision {
        AutolockRule(minutes: minutes).decision(AutolockRule.Elapsed(wall: wall, uptime: uptime))
    }

    @Test(arguments: [-1, 0, 1, 15, Int.max]) func `a countdown that was not started keeps the key`(_ minutes: Int) {
        #expect(AutolockRule(minutes: minutes).decision(nil) == .keep)
    }

    @Test(arguments: [(0, 0), (60, 60), (-5, 5), (5, -5), (100, 0), (0, 100)] as [(Int, Int)])
    func `never and always do not ask the clocks`(_ wall: Int, _ uptime: Int) {
        #expect(decision(-1, wall: .seconds(wall), uptime: .seconds(uptime)) == .keep)
        #expect(decision(Int.min, wall: .seconds(wall), uptime: .seconds(uptime)) == .keep)
        #expect(decision(0, wall: .seconds(wall), uptime: .seconds(uptime)) == .lock)
    }

    @Test(arguments: [1, 2, 15, 1440]) func `exactly the limit keeps the key`(_ minutes: Int) {
        let limit: Duration = .seconds(60 * minutes)
        #expect(decision(minutes, wall: limit, uptime: limit) == .keep)
        #expect(decision(minutes, wall: limit - Self.nanosecond, uptime: limit) == .keep)
        #expect(decision(minutes, wall: limit + Self.nanosecond, uptime: limit) == .lock)
    }

    @Test func `a wall clock that was set back locks`() {
        #expect(decision(15, wall: .zero, uptime: .zero) == .keep)
        #expect(decision(15, wall: .zero - Self.nanosecond, uptime: .zero) == .lock)
    }

    @Test func `a difference of exactly 2 seconds keeps the key`() {
        let wall: Duration = .seconds(100)
        #expect(decision(15, wall: wall, uptime: .seconds(102)) == .keep)
        #expect(decision(15, wall: wall, uptime: .seconds(98)) == .keep)
        #expect(decision(15, wall: wall, uptime: .seconds(102) + Self.nanosecond) == .lock)
        #expect(decision(15, wall: wall, uptime: .seconds(98) - Self.nanosecond) == .lock)
        // A restart: the uptime begins again.
        #expect(decision(15, wall: wall, uptime: .seconds(-1000)) == .lock)
    }

    @Test func `extreme numbers`() {
        let extremes: [Duration] = [.seconds(Int64.min), .zero, .seconds(Int64.max)]
        for minutes in [Int.min, -1, 0, 1, 1 << 32, Int.max] {
            for wall in extremes {
                for uptime in extremes {
                    let made = decision(minutes, wall: wall, uptime: uptime)
                    let expected: AutolockRule.Decision =
                        minutes < 0 || minutes > 0 && wall == .zero && uptime == .zero ? .keep : .lock
                    #expect(made == expected)
                }
            }
        }
        #expect(AutolockRule(minutes: Int.max).minutes == Int.max)
        #expect([-7, 0, 15].map { AutolockRule(minutes: $0).minutes } == [-1, 0, 15])
    }
}
